import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import type { Progress } from './progress.ts';
import { savedCases } from './saved.ts';
import type { Target } from './target.ts';

/** A run of fast-check: small enough that its seed replays a finding soon. */
export const roundInputs = 2_000;
/** After so many the heap is as large as it gets: code is compiled, caches are full. */
const warmInputs = 4_000;
const growthBytesMax = 6 * 1024 * 1024;

export interface Outcome {
  readonly name: string;
  readonly inputs: number;
  readonly ms: number;
  /** Bytes between the warm heap and the last; nothing for a run that was too short to tell. */
  readonly growth: number | undefined;
  readonly finding?: Finding;
}

/** An input that breaks a promise, as small as it could be made. */
export interface Finding {
  readonly what: string;
  readonly hex: string;
  /** Of the round: with so many inputs it finds the same again. Nothing for a saved case. */
  readonly seed?: number;
}

/** Feeds a target with its saved cases, then with `inputs` that are drawn from `seed`. Ends at the first finding. */
export async function campaign(target: Target, inputs: number, seed: number, progress: Progress): Promise<Outcome> {
  const begun = performance.now();
  let warm: number | undefined;
  let done = 0;
  const outcome = (more: Partial<Outcome> = {}): Outcome => {
    const growth = warm === undefined ? undefined : heapBytes() - warm;
    return { name: target.name, inputs: done, ms: performance.now() - begun, growth, ...more };
  };
  const check = async (input: Uint8Array) => {
    progress.began(input);
    await target.check(input);
  };
  for (const { name, bytes } of savedCases(target.name)) {
    try {
      await check(bytes);
    } catch (error) {
      return outcome({ finding: { what: `saved case ${name}: ${worded(error)}`, hex: bytes.toString('hex') } });
    }
  }
  for (let round = 0; done < inputs; round++) {
    const numRuns = Math.min(roundInputs, inputs - done);
    const details = await fc.check(fc.asyncProperty(target.inputs, check), { seed: seed + round, numRuns });
    done += details.numRuns;
    if (details.failed) {
      const [input = new Uint8Array()] = details.counterexample ?? [];
      const hex = Buffer.from(input).toString('hex');
      return outcome({ finding: { what: worded(details.errorInstance), hex, seed: seed + round } });
    }
    if (warm === undefined && done >= warmInputs && inputs - done >= warmInputs) warm = heapBytes();
  }
  const whole = outcome();
  if (whole.growth !== undefined && whole.growth > growthBytesMax) {
    return { ...whole, finding: { what: `the heap grew by ${whole.growth} bytes`, hex: '', seed } };
  }
  return whole;
}

function worded(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is still held after all that can go has gone. */
function heapBytes(): number {
  collect();
  collect();
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
