import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seededMessage } from '../journal/seeded-journal.ts';
import type { BenchStage, RunningDaemon } from './bench-stage.ts';
import { Caller } from './caller.ts';
import { cachedMiB, dropFromCache } from './page-cache.ts';
import { readPages } from './process-pages.ts';
import { type Filled, recordsReport } from './records-report.ts';
import { type Report, skipped } from './report.ts';
import { openBareCounter, type ShopCounter } from './shop-counter.ts';
import { awaitQuiet } from './thread-times.ts';
import { Till } from './till.ts';

export interface RecordsOptions {
  /** Sales of settled batches that the journal has. */
  readonly sizes: readonly number[];
  /** Sales of the open batch. */
  readonly open: number;
  readonly samples: number;
}

/**
 * Start, sale, enquiry, list and pages of a batch by how many sales the journal has, with none and with many in the open
 * batch. Before each the journal is taken out of the page cache, as if the terminal had been off.
 */
export async function records(stage: BenchStage, { sizes, open, samples }: RecordsOptions): Promise<Report> {
  const native = await stage.native();
  if (typeof native === 'string') return skipped('records', 'What a journal’s size changes', native);
  const counter = await openBareCounter(stage, native.reader);
  await stage.installed();
  const filled: Filled[] = [];
  for (const settled of sizes) {
    const journal = new FilledJournal(stage, counter, stage.fresh('records'));
    await journal.seed(settled, 0);
    filled.push({ settled, open: 0, ...(await journal.measure(samples)) });
    if (open === 0) continue;
    await journal.seed(0, open);
    filled.push({ settled, open, ...(await journal.measure(samples)) });
  }
  await counter.close();
  return recordsReport(filled, samples);
}

const starts = 3;

/** One journal that is filled further and further. */
class FilledJournal {
  readonly #stage: BenchStage;
  readonly #counter: ShopCounter;
  readonly #dir: string;
  /** What it was given beside the sales of the bench. */
  #seeded = 0;
  #tills = 0;

  constructor(stage: BenchStage, counter: ShopCounter, dir: string) {
    this.#stage = stage;
    this.#counter = counter;
    this.#dir = dir;
  }

  async seed(settled: number, open: number): Promise<void> {
    await mkdir(this.#dir, { recursive: true });
    const child = this.#stage.children.startNode('test/bench/seeding.ts', [
      path.join(this.#dir, 'journal.db'),
      ...[settled, open, this.#seeded].map(String),
    ]);
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the journal could not be filled');
    this.#seeded += settled + open;
  }

  async measure(samples: number): Promise<Omit<Filled, 'settled' | 'open'>> {
    const [start, firstSale]: [number[], number[]] = [[], []];
    for (let each = 0; each < starts; each++) {
      await this.#running(async (_daemon, till, startMs) => {
        start.push(startMs);
        firstSale.push(await till.sell());
      });
    }
    return this.#running(async (daemon, till) => {
      const measured = await this.#measureCalls(daemon, till, samples);
      dropFromCache(this.#dir);
      return { start, firstSale, ...measured, memory: readPages(daemon.pid), cached: cachedMiB(this.#dir) };
    });
  }

  /** The files of the installed program stay in the cache: they do not grow. */
  async #running<T>(work: (daemon: RunningDaemon, till: Till, startMs: number) => Promise<T>): Promise<T> {
    dropFromCache(this.#dir);
    const from = performance.now();
    const daemon = await this.#stage.daemon({ configuration: this.#counter.configuration, stateDir: this.#dir });
    const startMs = performance.now() - from;
    const till = new Till(daemon.api, this.#counter, `till ${++this.#tills} sale `);
    await awaitQuiet(daemon.pid);
    const done = await work(daemon, till, startMs);
    till.close();
    await daemon.stop();
    return done;
  }

  async #measureCalls(daemon: RunningDaemon, till: Till, samples: number) {
    const caller = new Caller();
    const calls = this.#calls(daemon, till, caller);
    const measureCold = async (call: () => Promise<number>) => {
      // The first one loads code.
      await call();
      const took: number[] = [];
      for (let each = 0; each < samples; each++) {
        await awaitQuiet(daemon.pid);
        dropFromCache(this.#dir);
        took.push(await call());
      }
      return took;
    };
    const [sale, enquiry] = [await measureCold(() => till.sell()), await measureCold(calls.enquiry)];
    const [list, report, settlement] = [await measureCold(calls.list), await calls.report(), await calls.settlement()];
    const page = await measureCold(calls.page);
    caller.close();
    return { sale, enquiry, list, report, settlement, page };
  }

  /** Each resolves to the milliseconds until its answer. */
  #calls({ api }: RunningDaemon, till: Till, caller: Caller) {
    let settled = 0;
    const measure = async (method: 'GET' | 'POST', call: string, request?: object) => {
      const from = performance.now();
      const { status, body } = await caller.call(method, `${api}/${call}`, request);
      if (status !== 200) throw new Error(`${call} was answered ${status}: ${JSON.stringify(body)}`);
      settled = (body as { settlements?: { batch: number }[] }).settlements?.[0]?.batch ?? settled;
      return performance.now() - from;
    };
    const anyMessage = () =>
      this.#seeded === 0 ? till.lastMessage : seededMessage(1 + Math.floor(Math.random() * this.#seeded));
    return {
      enquiry: () => measure('POST', 'enquiry', { posId: 'POS-1', messageId: anyMessage() }),
      list: () => measure('GET', 'transactions?limit=50'),
      report: () => measure('GET', 'report'),
      settlement: () => measure('POST', 'settlement', { posId: 'POS-1', messageId: `settlement ${till.lastMessage}` }),
      page: () => measure('GET', `transactions?limit=50&acquirer=EDC&batch=${settled}`),
    };
  }
}
