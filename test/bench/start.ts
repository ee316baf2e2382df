import { once } from 'node:events';
import { median, percentile } from './percentiles.ts';
import { atMost, type Report } from './report.ts';
import type { DaemonFlags, BenchStage } from './bench-stage.ts';

/** From the start of the process to READY, against a Node that does nothing. All devices of the simulator are there. */
export async function coldStart(stage: BenchStage, rounds: number): Promise<Report> {
  const { configuration } = await stage.simulator();
  const stateDir = stage.fresh('state');
  // Built before it is timed.
  const installed = { env: await stage.asInstalled() };
  const started = async (flags: Pick<DaemonFlags, 'env' | 'program'>): Promise<number> => {
    const from = performance.now();
    const daemon = await stage.daemon({ configuration, stateDir, ...flags });
    const tookMs = performance.now() - from;
    await daemon.stop();
    return tookMs;
  };
  const nothing = async (): Promise<number> => {
    const from = performance.now();
    await once(stage.children.start(process.execPath, ['-e', '0']), 'exit');
    return performance.now() - from;
  };
  // The first start proves that the snapshot fits and makes the journal.
  await started(installed);
  const withoutSnapshot = { POID_SNAPSHOT: 'no' };
  const snapshot: number[] = [];
  const plain: number[] = [];
  const sources: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await nothing());
    snapshot.push(await started(installed));
    plain.push(await started({ env: withoutSnapshot }));
    sources.push(await started({ program: 'sources' }));
  }
  const row = (name: string, times: readonly number[]) => [name, times.length, median(times), percentile(times, 1)];
  return {
    part: 'start',
    title: 'Cold start to READY, ms',
    columns: ['', 'starts', 'p50', 'max'],
    rows: [
      row('node -e 0', bare),
      row('from the snapshot, as installed', snapshot),
      row('bundle', plain),
      row('sources', sources),
    ],
    checks: [atMost('as installed / node -e 0', median(snapshot) / median(bare), 4.5)],
    notes: ['the files are in the page cache; the simulated reader answers as fast as it can'],
  };
}
