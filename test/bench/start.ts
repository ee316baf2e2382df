import { once } from 'node:events';
import { median, percentile } from './percentiles.ts';
import { atMost, type Report } from './report.ts';
import type { Stand } from './stand.ts';

/** From the start of the process to READY, against a Node that does nothing. All devices of the simulator are there. */
export async function coldStart(stand: Stand, rounds: number): Promise<Report> {
  const { configuration } = await stand.simulator();
  const cache = stand.fresh('compile-cache');
  const stateDir = stand.fresh('state');
  const started = async (env: Readonly<Record<string, string>>): Promise<number> => {
    const from = performance.now();
    const daemon = await stand.daemon({ configuration, stateDir, env });
    const tookMs = performance.now() - from;
    await daemon.stop();
    return tookMs;
  };
  const nothing = async (): Promise<number> => {
    const from = performance.now();
    await once(stand.children.start(process.execPath, ['-e', '0']), 'exit');
    return performance.now() - from;
  };
  // The cache is written at the end of a process; the first start also makes the journal.
  await started({ NODE_COMPILE_CACHE: cache });
  const cached: number[] = [];
  const plain: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await nothing());
    plain.push(await started({}));
    cached.push(await started({ NODE_COMPILE_CACHE: cache }));
  }
  const row = (name: string, times: readonly number[]) => [name, times.length, median(times), percentile(times, 1)];
  return {
    part: 'start',
    title: 'Cold start to READY, ms',
    columns: ['', 'starts', 'p50', 'max'],
    rows: [row('node -e 0', bare), row('poid, sources', plain), row('poid, sources with NODE_COMPILE_CACHE', cached)],
    checks: [
      atMost('with NODE_COMPILE_CACHE / node -e 0', median(cached) / median(bare), 4),
      atMost('without / node -e 0', median(plain) / median(bare), 4),
    ],
    notes: ['the files are in the page cache; the simulated reader answers as fast as it can'],
  };
}
