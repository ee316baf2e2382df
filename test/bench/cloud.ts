import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchStage, RunningDaemon } from './bench-stage.ts';
import { spreadOf } from './blocks.ts';
import { type Neighbour, neighbours, openChain, type Chain } from './cloud-chain.ts';
import { median, percentile } from './percentiles.ts';
import { atMost, type Check, type Report, skipped } from './report.ts';
import { openBareCounter, type ShopCounter } from './shop-counter.ts';
import { awaitQuiet, readThreadTimes, since, sumTimes } from './thread-times.ts';
import { Till } from './till.ts';

export interface CloudOptions {
  /** Each with terminals that were started anew: no two processes are equally fast. */
  readonly rounds: number;
  readonly pairs: number;
  /** Sales that wait for the sink. */
  readonly queued: number;
}

const title = 'One sale with the cloud link, and the same without, ms';
const target = 1.02;
const warmup = 20;
/** What a terminal works off has no end while the sink takes it. */
const quietMaxMs = 100;
/** Between two sales of a till lie seconds. Right after its other work a process is slower by cold caches, and only that is measured. */
const restMs = 100;

interface Side {
  readonly daemon: RunningDaemon;
  readonly till: Till;
}

/** Milliseconds of each sale, and of the processor for each. */
interface Measured {
  readonly name: string;
  readonly linked: number[];
  readonly plain: number[];
  readonly processor: { linked: number; plain: number };
  readonly ratios: number[];
}

/**
 * A sale of a terminal whose broker is there, away, or comes and goes, and of one that works off a queue; each in turn with
 * that of a terminal without a link. While one sells, the other's process is stopped.
 */
export async function cloud(stage: BenchStage, options: CloudOptions): Promise<Report> {
  const native = await stage.native();
  if (typeof native === 'string') return skipped('cloud', title, native);
  const chain = await openChain(stage, stage.fresh('broker')).catch((error: Error) => error);
  if (chain instanceof Error) return skipped('cloud', title, `mosquitto does not start: ${chain.message}`);
  const counters = [await openBareCounter(stage, native.reader), await openBareCounter(stage, native.reader)] as const;
  const measured: Measured[] = [];
  try {
    for (const neighbour of neighbours) measured.push(await measure(stage, chain, counters, neighbour, options));
  } finally {
    await chain.close();
    await Promise.all(counters.map((each) => each.close()));
  }
  return {
    part: 'cloud',
    title,
    columns: [
      '',
      'sales',
      'p50',
      'p99',
      'without p50',
      'without p99',
      'p50 / p50',
      'lowest',
      'highest',
      'processor',
      'without',
    ],
    rows: measured.map(({ name, linked, plain, ratios, processor }) => [
      name,
      linked.length,
      median(linked),
      percentile(linked, 0.99),
      median(plain),
      percentile(plain, 0.99),
      median(linked) / median(plain),
      ...spreadOf(ratios),
      processor.linked,
      processor.plain,
    ]),
    // Without a link on both sides it is the method that is measured.
    checks: measured.filter(({ name }) => name !== 'no link').map(checkOf),
    notes: [
      `reader in C, host that says yes; mosquitto with TLS and client certificates; ${options.rounds} rounds with new processes`,
      `the other terminal’s process is stopped while one sells, ${restMs} ms after its other work; the first row, without a link on both sides, is what the method can tell`,
      'processor: ms of the whole process per sale, with what it does between the sales',
      `of the queue ${chain.reportedWhile.queued} messages were told meanwhile, in all rounds`,
    ],
  };
}

function checkOf({ name, linked, plain, ratios }: Measured): Check {
  return atMost(`a sale, ${name}: median / median without`, median(linked) / median(plain), target, {
    spread: spreadOf(ratios),
  });
}

async function measure(
  stage: BenchStage,
  chain: Chain,
  counters: readonly [ShopCounter, ShopCounter],
  neighbour: Neighbour,
  { rounds, pairs, queued }: CloudOptions,
): Promise<Measured> {
  const name = neighbour === 'queued' ? `${queued} queued` : neighbour;
  const measured: Measured = { name, linked: [], plain: [], processor: { linked: 0, plain: 0 }, ratios: [] };
  const seed = neighbour === 'queued' ? await seeded(stage, queued) : undefined;
  for (let round = 0; round < rounds; round++) {
    // No reader and no host is on one side only.
    const [own, other] = round % 2 === 0 ? counters : ([counters[1], counters[0]] as const);
    const places = await Promise.all(
      [own, other].map(async () => (seed === undefined ? stage.fresh('state') : stage.copied(seed))),
    );
    const settings = await chain.settings(neighbour, `${neighbour}-${round}`);
    const openLinked = () => open(stage, own, places[0] ?? '', settings);
    const openPlain = () => open(stage, other, places[1] ?? '', {});
    // Which process is the older one matters, too.
    const isFirst = round % 4 < 2;
    const early = await (isFirst ? openLinked() : openPlain());
    const late = await (isFirst ? openPlain() : openLinked());
    const [linked, plain] = isFirst ? [early, late] : [late, early];
    await chain.during(neighbour, () => sellInTurn(linked, plain, pairs, measured));
    for (const { till, daemon } of [linked, plain]) {
      till.close();
      await daemon.stop();
    }
    await Promise.all(places.map((dir) => rm(dir, { recursive: true, force: true })));
  }
  const sales = rounds * pairs;
  const { linked, plain } = measured.processor;
  return { ...measured, processor: { linked: linked / sales, plain: plain / sales } };
}

async function open(stage: BenchStage, counter: ShopCounter, stateDir: string, more: object): Promise<Side> {
  const settings = JSON.parse(await readFile(counter.configuration, 'utf8')) as object;
  const daemon = await stage.daemon({ configuration: await stage.written('poid', { ...settings, ...more }), stateDir });
  return { daemon, till: new Till(daemon.api, counter, `bench ${counter.hostPort} `) };
}

async function sellInTurn(linked: Side, plain: Side, pairs: number, into: Measured): Promise<void> {
  for (let each = 0; each < warmup; each++) await Promise.all([linked.till.sell(), plain.till.sell()]);
  for (const { daemon } of [linked, plain]) await awaitQuiet(daemon.pid, 3_000);
  const before = [linked, plain].map(({ daemon }) => readThreadTimes(daemon.pid));
  const took = { linked: [] as number[], plain: [] as number[] };
  for (let each = 0; each < pairs; each++) {
    const sellLinked = async () => took.linked.push(await sellAlone(linked, plain));
    const sellPlain = async () => took.plain.push(await sellAlone(plain, linked));
    // One behind the other, and in turns the first: what else the machine does is shared by both.
    for (const sell of each % 2 === 0 ? [sellLinked, sellPlain] : [sellPlain, sellLinked]) await sell();
  }
  const [own = 0, other = 0] = [linked, plain].map(({ daemon }, index) => {
    const from = before[index];
    return from ? sumTimes(since(from, readThreadTimes(daemon.pid))) : 0;
  });
  into.processor.linked += own;
  into.processor.plain += other;
  into.linked.push(...took.linked);
  into.plain.push(...took.plain);
  into.ratios.push(median(took.linked) / median(took.plain));
}

async function sellAlone({ daemon, till }: Side, { daemon: other }: Side): Promise<number> {
  process.kill(other.pid, 'SIGSTOP');
  try {
    await awaitQuiet(daemon.pid, quietMaxMs);
    await pause(restMs);
    return await till.sell();
  } finally {
    process.kill(other.pid, 'SIGCONT');
  }
}

/** The directory of a journal with so many settled sales. */
async function seeded(stage: BenchStage, sales: number): Promise<string> {
  const dir = stage.fresh('seeded');
  await mkdir(dir);
  const child = stage.children.startNode('test/bench/seeding.ts', [path.join(dir, 'journal.db'), `${sales}`, '0', '0']);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the journal could not be filled');
  return dir;
}
