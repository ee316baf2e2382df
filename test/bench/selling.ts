import type { BenchStage } from './bench-stage.ts';
import { Floor } from './floor.ts';
import { median } from './percentiles.ts';
import { type ProcessPages, readPages } from './process-pages.ts';
import { atMost, type Report } from './report.ts';
import { openBareCounter, openSimulatedCounter } from './shop-counter.ts';
import { awaitQuiet, readThreadTimes, since, sumTimes, threadGroups, type ThreadTimes } from './thread-times.ts';
import { Till } from './till.ts';
import { watchingUs } from './watching.ts';

const warmup = 20;
const dayMiB = 200;
const metricsPercent = 1;

/** A day's sales without a pause: how many a second, whose processor's time they take, and the memory that they leave. */
export async function selling(stage: BenchStage, sales: number): Promise<Report> {
  const native = await stage.native();
  const counter = await (typeof native === 'string'
    ? openSimulatedCounter(stage)
    : openBareCounter(stage, native.reader));
  const { configuration } = counter;
  const daemon = await stage.daemon({ configuration, stateDir: stage.fresh('state'), env: await stage.asInstalled() });
  const till = new Till(daemon.api, counter);
  await awaitQuiet(daemon.pid, 3_000);
  const idle = readPages(daemon.pid);
  for (let each = 0; each < warmup; each++) await till.sell();
  const floor = await Floor.open({ stage, counter, answerBytes: till.answerBytes });
  for (let each = 0; each < warmup; each++) await floor.sell();
  const sold = await sellOn(daemon.pid, sales, () => till.sell());
  const sunk = await sellOn(floor.pid, sales, () => floor.sell());
  await awaitQuiet(daemon.pid, 3_000);
  const after = readPages(daemon.pid);
  till.close();
  await daemon.stop();
  await floor.close();
  await counter.close();
  const spent = sumTimes(sold.times) / sales;
  const watching = watchingUs();
  return {
    part: 'selling',
    title: `${sales} sales without a pause`,
    columns: ['', 'terminal', 'floor'],
    rows: [
      ['sales a second', sold.perSecond, sunk.perSecond],
      ['POST to answer, p50, ms', sold.p50, sunk.p50],
      ['ms of the processor per sale', spent, sumTimes(sunk.times) / sales],
      ...threadGroups.map((group): [string, number, number] => [
        `of them ${group}`,
        sold.times[group] / sales,
        sunk.times[group] / sales,
      ]),
      ['its log, before a line is written, µs', watching.log, ''],
      ['its metrics, where they are configured, µs', watching.metrics, ''],
      ...pagesRows('idle', idle),
      ...pagesRows(`after ${sales} sales`, after),
    ],
    checks: [
      atMost('metrics, of the processor of a sale', watching.metrics / 10 / spent, metricsPercent, { unit: '%' }),
      atMost(`resident memory after ${sales} sales`, after.resident, dayMiB, { unit: 'MiB' }),
    ],
    notes: [`${counter.name}; the floor as in the part "sale"; own memory: what no file could give back`],
  };
}

function pagesRows(when: string, { resident, own, shared }: ProcessPages): [string, number, string][] {
  return [
    [`memory ${when}, MiB`, resident, ''],
    ['of it own', own, ''],
    ['of it pages of files', shared, ''],
  ];
}

interface Sold {
  readonly perSecond: number;
  readonly p50: number;
  readonly times: ThreadTimes;
}

/** What follows the last sale counts too: the time of the processor is that of the whole. */
async function sellOn(pid: number, sales: number, sell: () => Promise<number>): Promise<Sold> {
  const before = readThreadTimes(pid);
  const from = performance.now();
  const took: number[] = [];
  for (let each = 0; each < sales; each++) took.push(await sell());
  const perSecond = (sales * 1_000) / (performance.now() - from);
  await awaitQuiet(pid);
  return { perSecond, p50: median(took), times: since(before, readThreadTimes(pid)) };
}
