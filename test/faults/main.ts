import { parseArgs } from 'node:util';
import { bugs } from './planted/bugs.ts';
import { type Caught, planted } from './planted/planting.ts';
import { explained } from './explain.ts';
import { cloudEvery, played } from './schedule.ts';
import { isSecured } from './secured.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    /** The story of each seed, whether it fails or not. */
    trace: { type: 'boolean', default: false },
    /** Prints one seed as a story: the messages about what went wrong. */
    explain: { type: 'string' },
    /**
     * Hosts that carry out a request after its reversal, even when the terminal's grace is over: shows what that would
     * cost.
     */
    forgetful: { type: 'boolean', default: false },
    /** Only seeds whose schedule has a till in the cloud. */
    cloud: { type: 'boolean', default: false },
    /** Only seeds whose schedule has authentication codes or hosts with two sites. */
    secured: { type: 'boolean', default: false },
    /** Plants each known bug, and says within how many seeds it is caught. */
    planted: { type: 'boolean', default: false },
    /** Only planted bugs whose name contains one of these words; and how many run in parallel. */
    only: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
  },
});
const first = Number(values.seed);
const seeds = Number(values.seeds);
if (!(Number.isInteger(first) && Number.isInteger(seeds) && seeds > 0))
  throw new Error('--seeds and --seed are numbers');
process.exitCode = (await task()) ? 0 : 1;

function task(): Promise<boolean> {
  if (values.explain !== undefined) return story(Number(values.explain));
  return values.planted ? plantedBugs() : simulated();
}

async function story(seed: number): Promise<boolean> {
  const run = await played(seed, values.forgetful);
  console.log(explained(run).join('\n'));
  return run.faults.length === 0;
}

async function simulated(): Promise<boolean> {
  const counts = new Map<string, number>();
  const failed: number[] = [];
  const beganMs = performance.now();
  const step = values.cloud ? cloudEvery : 1;
  const from = Math.ceil(first / step) * step;
  let end = from;
  for (let seed = from, left = seeds; left > 0; seed += step) {
    if (values.secured && !isSecured(seed)) continue;
    left -= 1;
    end = seed + step;
    const { faults, trace, hash, counts: these } = await played(seed, values.forgetful);
    for (const [name, count] of these) counts.set(name, (counts.get(name) ?? 0) + count);
    if (faults.length > 0) failed.push(seed);
    // One story is enough: a seed replays it.
    if (values.trace || (faults.length > 0 && failed.length === 1)) console.log(trace.join('\n'));
    if (faults.length > 0) console.log(`seed ${seed}:\n  ${faults.join('\n  ')}`);
    if (seeds === 1) console.log(`hash ${hash}`);
  }
  const seconds = (performance.now() - beganMs) / 1000;
  for (const [name, count] of [...counts].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(`${String(count).padStart(9)} ${name}`);
  }
  console.log(`seeds ${from} to ${end - step}: ${failed.length} failed ${failed.join(' ')}`);
  console.log(`${(seeds / seconds).toFixed(1)} seeds per second`);
  return failed.length === 0;
}

async function plantedBugs(): Promise<boolean> {
  const { only } = values;
  const wanted = bugs.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
  const waiting = [...wanted];
  let missed = 0;
  const worker = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug; bug = waiting.shift()) {
      // A bug whose copy of the source does not run proves nothing.
      const failed = (error: Error): Caught => ({ fault: `the trial itself fails: ${error.message.slice(0, 2_000)}` });
      const { seeds: took, test, fault = '' } = await planted(bug, seeds, first, values.secured).catch(failed);
      if (took === undefined && test === undefined) missed += 1;
      const within = took === undefined ? `NOT within ${seeds} seeds` : `within ${took} seeds`;
      console.log(`${test === undefined ? within : `by ${test}`}: ${bug.name}\n    ${fault.split('\n')[0]}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  console.log(`${wanted.length - missed} of ${wanted.length} caught`);
  return missed === 0 && wanted.length > 0;
}
