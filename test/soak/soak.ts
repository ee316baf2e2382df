import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { residentMiB } from '../bench/resident.ts';
import { eventually, type Json, Stage } from '../e2e/stage.ts';
import { Kept } from './kept.ts';
import type { Point } from './line.ts';

export interface SoakOptions {
  readonly sales: number;
  /** Sales of a day: then comes the night. */
  readonly daySales: number;
  readonly program: string;
  /** The POS prints: no paper moves. */
  readonly isVirtual?: boolean;
  /** How often it is started again at the beginning, and at the end. */
  readonly restarts?: number;
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
  /** Milliseconds of enquiries of the first and of the last sale, one after the other. */
  readonly enquiries: { readonly oldest: readonly number[]; readonly newest: readonly number[] };
  /** Milliseconds of starts after the first sale and after the last. */
  readonly restarts: { readonly beginning: readonly number[]; readonly end: readonly number[] };
}

const samplesOfRun = 200;
const retentionDays = 180;
const enquiriesOfEach = 100;
/** The simulator's answer of all that its host has is a text, and no text is longer than half a gigabyte. */
const booksMost = 200_000;
/** By the terminal's clock: it settles while the shop is closed. */
const settlesAt = 3;
const opensAt = 7;

/**
 * A terminal that works for years: sale after sale with its customer played by the simulator, and after each day a night in which the
 * clock goes on, the terminal settles by itself and archives what is old. Throws AssertionError where a sale fails, a day's totals differ
 * from what was sold, or what is archived can't be enquired of.
 */
export async function soaked({
  sales,
  daySales,
  program,
  isVirtual = false,
  restarts = 5,
  onDay,
}: SoakOptions): Promise<Soaked> {
  const stage = await Stage.open({
    flags: ['--auto'],
    program,
    environment: { NODE_OPTIONS: `--import=${await fastClock(program)}` },
    // A machine that is busy elsewhere makes a sale late, not another outcome.
    acquirer: { replyTimeoutMs: 15_000 },
    // Its paper moves as fast as its customers come.
    printer: { lineTimeMs: 0 },
    configuration: {
      logLevel: 'warn',
      settlement: { dailyAt: `0${settlesAt}:00` },
      retention: { days: retentionDays },
      ...(isVirtual ? { receipt: { printedBy: 'pos' } } : {}),
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
    // So that there is something to start with.
    await terminal.sold();
    const beginning = await terminal.restart(restarts);
    for (let sold = 1, today = 2; sold <= sales; sold++, today++) {
      took.push(await terminal.sold());
      if (sold % sampleSales === 0) memory.push({ x: sold, y: residentMiB(stage.daemonPid) });
      if (today < daySales && sold < sales) continue;
      days.push(await terminal.night(today));
      // A look that a busy machine has interrupted goes on where it was, and finds the oldest the night after.
      const old = days.slice(0, Math.max(0, days.length - retentionDays - 1)).reduce((sum, count) => sum + count, 0);
      await eventually(
        async () => kept.archived(),
        (archived) => archived >= old,
      );
      journal.push({ x: sold, y: kept.journalBytes });
      archive.push({ x: sold, y: kept.archiveBytes });
      today = 0;
      onDay?.(sold);
    }
    await terminal.agrees(sales + 1, days);
    const enquiries = await terminal.enquiries();
    const end = await terminal.restart(restarts);
    const archived = kept.archived();
    const restarted = { beginning, end };
    return { took, memory, journal, archive, days, archived, retentionDays, enquiries, restarts: restarted };
  } finally {
    await stage.close();
  }
}

/**
 * The fast clock as JavaScript, beside the program. Each of the daemon's threads would otherwise load Node's compiler for
 * types, whose memory is not the terminal's.
 */
async function fastClock(program: string): Promise<string> {
  const source = await readFile(new URL('fast-clock.ts', import.meta.url), 'utf8');
  const file = path.join(path.dirname(program), 'fast-clock.mjs');
  await writeFile(file, stripTypeScriptTypes(source));
  return file;
}

class Terminal {
  readonly #stage: Stage;
  #ahead = 0;
  #first: Json;
  #last: Json;
  #nights = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** One sale. Returns what it took in ms. */
  async sold(): Promise<number> {
    const request = this.#stage.saleRequest({ preferredEntryMode: 'CARD' });
    this.#first ??= request;
    this.#last = request;
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
  async agrees(sales: number, days: readonly number[]): Promise<void> {
    const settled = days.reduce((sum, count) => sum + count, 0);
    assert.equal(settled, sales, 'the host has settled other sales than were told');
    if (sales > booksMost) return;
    assert.equal((await this.#stage.posted('EDC')).length, sales, 'the host has other sales than were told');
  }

  /** Of the oldest and of the newest sale in turn. */
  async enquiries(): Promise<Soaked['enquiries']> {
    const [oldest, newest]: [number[], number[]] = [[], []];
    for (let each = 0; each < enquiriesOfEach; each++) {
      oldest.push(await this.#enquire(this.#first));
      newest.push(await this.#enquire(this.#last));
    }
    return { oldest, newest };
  }

  /** The clock of what is started is told how late it is. Returns what each start took, in ms. */
  async restart(times: number): Promise<number[]> {
    const took: number[] = [];
    for (let each = 0; each < times; each++) {
      await this.#stage.stopDaemon('SIGTERM');
      const from = performance.now();
      await this.#stage.startDaemon();
      took.push(performance.now() - from);
      this.#stage.tellDaemon({ clockOnMs: this.#ahead });
    }
    return took;
  }

  async #enquire(request: Json): Promise<number> {
    const from = performance.now();
    const { body } = await this.#stage.enquiry(request);
    assert.equal(body.responseResult, 'SUCCESS', `the sale ${request.messageId} is forgotten`);
    return performance.now() - from;
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
