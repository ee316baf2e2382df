import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { residentMiB } from '../bench/resident.ts';
import { eventually, type Json, Stage } from '../e2e/stage.ts';
import { Kept } from './kept.ts';
import type { Point } from './line.ts';

export interface SoakOptions {
  readonly sales: number;
  /** Sales of a day: then comes the night. */
  readonly daySales: number;
  readonly program: string;
  readonly onDay?: (sales: number) => void;
}

export interface Soaked {
  /** POST to answer of each sale, ms. */
  readonly took: readonly number[];
  /** Resident MiB of the daemon after so many sales. */
  readonly memory: readonly Point[];
  /** Of the journal and of its archive, after so many sales: each night. */
  readonly journal: readonly Point[];
  readonly archive: readonly Point[];
  /** Sales of each day, as the host settled them. */
  readonly days: readonly number[];
  readonly archived: number;
  readonly retentionDays: number;
}

const samplesOfRun = 200;
const retentionDays = 180;
/** By the terminal's clock: it settles while the shop is closed. */
const settlesAt = 3;
const opensAt = 7;

/**
 * A terminal that works for years: sale after sale with its customer played by the simulator, and after each day a night in which the
 * clock goes on, the terminal settles by itself and archives what is old. Throws AssertionError where a sale fails, a day's totals differ
 * from what was sold, or what is archived can't be enquired of.
 */
export async function soaked({ sales, daySales, program, onDay }: SoakOptions): Promise<Soaked> {
  const stage = await Stage.open({
    flags: ['--auto'],
    program,
    environment: { NODE_OPTIONS: `--import=${fileURLToPath(new URL('fast-clock.ts', import.meta.url))}` },
    // Its paper moves as fast as its customers come.
    printer: { lineTimeMs: 0 },
    configuration: {
      logLevel: 'warn',
      settlement: { dailyAt: `0${settlesAt}:00` },
      retention: { days: retentionDays },
    },
  });
  try {
    const terminal = new Terminal(stage);
    const kept = new Kept(stage.stateDir);
    const took: number[] = [];
    const memory: Point[] = [];
    const journal: Point[] = [{ x: 0, y: kept.journalBytes }];
    const archive: Point[] = [{ x: 0, y: 0 }];
    const days: number[] = [];
    const sampleSales = Math.max(1, Math.floor(sales / samplesOfRun));
    for (let sold = 1, today = 1; sold <= sales; sold++, today++) {
      took.push(await terminal.sold());
      if (sold % sampleSales === 0) memory.push({ x: sold, y: residentMiB(stage.daemonPid) });
      if (today < daySales && sold < sales) continue;
      days.push(await terminal.night(today));
      const old = days.slice(0, Math.max(0, days.length - retentionDays)).reduce((sum, count) => sum + count, 0);
      await eventually(
        async () => kept.archived(),
        (archived) => archived >= old,
      );
      journal.push({ x: sold, y: kept.journalBytes });
      archive.push({ x: sold, y: kept.archiveBytes });
      today = 0;
      onDay?.(sold);
    }
    await terminal.agrees(sales);
    return { took, memory, journal, archive, days, archived: kept.archived(), retentionDays };
  } finally {
    await stage.close();
  }
}

class Terminal {
  readonly #stage: Stage;
  #ahead = 0;
  #first: Json;
  #nights = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** One sale. Returns what it took in ms. */
  async sold(): Promise<number> {
    const request = this.#stage.saleRequest({ preferredEntryMode: 'CARD' });
    this.#first ??= request;
    const from = performance.now();
    const { body } = await this.#stage.payment(request);
    const tookMs = performance.now() - from;
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    return tookMs;
  }

  /** The day is over: the terminal settles what was sold on it by itself, and with the host's totals. Returns how many. */
  async night(sales: number): Promise<number> {
    await eventually(
      () => this.#stage.status(),
      ({ waitingReceipts }) => waitingReceipts === 0,
    );
    const batch = openBatch((await this.#stage.status()).acquirers);
    this.#clockTo(settlesAt);
    this.#nights++;
    const settled = await eventually(
      async () => (await this.#stage.sim('GET', '/api/host/EDC/settlements')).body,
      (entries: Json[]) => entries.length >= this.#nights,
    );
    const { result, terminal } = settled.at(-1);
    assert.equal(result, 'BALANCED');
    assert.equal(terminal.sales.count, sales, 'the terminal settled another day than was sold');
    await eventually(
      () => this.#stage.status(),
      ({ state, acquirers }) => state === 'idle' && openBatch(acquirers) !== batch,
    );
    this.#clockTo(opensAt);
    return sales;
  }

  /** The host has every sale, and the first can still be enquired of. */
  async agrees(sales: number): Promise<void> {
    assert.equal((await this.#stage.posted('EDC')).length, sales, 'the host has other sales than were told');
    const { body } = await this.#stage.enquiry(this.#first);
    assert.equal(body.responseResult, 'SUCCESS', 'the first sale is forgotten');
  }

  /** The next time that it is so late. */
  #clockTo(hour: number): void {
    const now = new Date(Date.now() + this.#ahead);
    const next = new Date(now);
    next.setHours(hour, 0, 1, 0);
    if (next <= now) next.setDate(next.getDate() + 1);
    const clockOnMs = next.getTime() - now.getTime();
    this.#ahead += clockOnMs;
    this.#stage.tellDaemon({ clockOnMs });
  }
}

function openBatch(acquirers: Json[]): number {
  return acquirers.find(({ id }) => id === 'EDC').openBatch;
}
