import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { Caller, sale } from '../bench/caller.ts';
import { residentMiB } from '../bench/resident.ts';
import { eventually, type Json } from '../e2e/stage.ts';
import { openBareShop } from './bare-shop.ts';
import { Kept } from './kept.ts';
import type { Point } from './line.ts';
import type { Settled, Shop } from './shop.ts';
import { openSimulatedShop } from './simulated-shop.ts';

export interface SoakOptions {
  readonly sales: number;
  /** Sales of a day: then comes the night. */
  readonly daySales: number;
  /** bin/poid of the installed tree. */
  readonly program: string;
  /** The POS prints: no paper moves. */
  readonly isVirtual?: boolean;
  /** A reader in C and a host that keeps sums, instead of the simulator. The POS prints. */
  readonly isBare?: boolean;
  /** How often it is started again at the end, and a new terminal in turn with it. */
  readonly restarts?: number;
  readonly onDay?: (sales: number) => void;
  /** Ends it with the day, as if no more sales had been asked for. */
  readonly stop?: AbortSignal;
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
  /** Milliseconds of starts after one sale, of another terminal, and after the last one of this, in turn. */
  readonly restarts: { readonly fresh: readonly number[]; readonly end: readonly number[] };
}

const samplesOfRun = 200;
const retentionDays = 180;
const enquiriesOfEach = 100;
/** By the terminal's clock: it settles while the shop is closed. */
const settlesAt = 3;
const opensAt = 7;
/** So often the terminal looks for what is old, and so long a shop may stay closed for that. */
const lookHours = 6;
/** More than its journal is idle before that. */
const idleMs = 2_500;
const restMostHours = 240;

/**
 * A terminal that works for years: sale after sale, and after each day a night in which the
 * clock goes on, the terminal settles by itself and archives what is old. Throws AssertionError where a sale fails, a day's totals differ
 * from what was sold, or what is archived can't be enquired of.
 */
export async function soaked({ sales, daySales, restarts = 5, onDay, stop, ...options }: SoakOptions): Promise<Soaked> {
  const shop = await openShop(options);
  const terminal = new Terminal(shop);
  try {
    const kept = new Kept(shop.stateDir);
    const took: number[] = [];
    const memory: Point[] = [];
    const journal: Point[] = [{ x: 0, y: kept.journalBytes }];
    const archive: Point[] = [{ x: 0, y: 0 }];
    const days: number[] = [];
    const sampleSales = Math.max(1, Math.floor(sales / samplesOfRun));
    await terminal.sold();
    for (let sold = 1, today = 2; sold <= sales; sold++, today++) {
      took.push(await terminal.sold());
      if (sold % sampleSales === 0) memory.push({ x: sold, y: residentMiB(shop.pid) });
      if (today < daySales && sold < sales) continue;
      days.push(await terminal.night(today));
      const old = days.slice(0, Math.max(0, days.length - retentionDays - 1)).reduce((sum, count) => sum + count, 0);
      await terminal.rest(() => kept.archived() >= old);
      journal.push({ x: sold, y: kept.journalBytes });
      archive.push({ x: sold, y: kept.archiveBytes });
      today = 0;
      onDay?.(sold);
      if (stop?.aborted === true) break;
    }
    await terminal.agrees(took.length + 1);
    const enquiries = await terminal.enquiries();
    const archived = kept.archived();
    const restarted = await restartBoth(terminal, options, restarts);
    return { took, memory, journal, archive, days, archived, retentionDays, enquiries, restarts: restarted };
  } finally {
    terminal.close();
    await shop.close();
  }
}

/**
 * The fast clock as JavaScript, to be imported. Each of the daemon's threads would otherwise load Node's compiler for types, whose memory is
 * not the terminal's.
 */
async function fastClock(): Promise<string> {
  const source = await readFile(new URL('fast-clock.ts', import.meta.url), 'utf8');
  return `data:text/javascript;base64,${Buffer.from(stripTypeScriptTypes(source)).toString('base64')}`;
}

type Options = Pick<SoakOptions, 'program' | 'isVirtual' | 'isBare'>;

async function openShop({ program, isVirtual = false, isBare = false }: Options): Promise<Shop> {
  const environment = { NODE_OPTIONS: `--import=${await fastClock()}` };
  const configuration = {
    logLevel: 'warn',
    settlement: { dailyAt: `0${settlesAt}:00` },
    retention: { days: retentionDays },
    ...(isVirtual || isBare ? { receipt: { printedBy: 'pos' } } : {}),
  };
  const opened = { program, environment, configuration };
  return isBare ? openBareShop(opened) : openSimulatedShop(opened);
}

/** The machine is not as fast as hours ago: a new terminal, which has sold once, is started in turn with the one that has sold all. */
async function restartBoth(terminal: Terminal, options: Options, times: number): Promise<Soaked['restarts']> {
  const shop = await openShop(options);
  const other = new Terminal(shop);
  const [fresh, end]: [number[], number[]] = [[], []];
  try {
    await other.sold();
    for (let each = 0; each < times; each++) {
      fresh.push(await other.restart());
      end.push(await terminal.restart());
    }
    return { fresh, end };
  } finally {
    other.close();
    await shop.close();
  }
}

class Terminal {
  readonly #shop: Shop;
  readonly #pos = new Caller();
  #sold = 0;
  #ahead = 0;
  #nights = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  close(): void {
    this.#pos.close();
  }

  /** One sale. Returns what it took in ms. */
  async sold(): Promise<number> {
    const card = this.#shop.present();
    // A sale that fails says why; the reader only that it was ended.
    card.catch(() => undefined);
    const from = performance.now();
    const { body } = await this.#pos.call('POST', `${this.#shop.api}/payment`, sale(`S-${++this.#sold}`));
    const tookMs = performance.now() - from;
    assert.equal((body as Json).responseResult, 'SUCCESS', JSON.stringify(body));
    await card;
    return tookMs;
  }

  /** The day is over: the terminal settles what was sold on it by itself, and with the host's totals. Returns how many. */
  async night(sales: number): Promise<number> {
    await eventually(
      () => this.#status(),
      ({ waitingReceipts }) => waitingReceipts === 0,
    );
    const batch = openBatch((await this.#status()).acquirers);
    this.#clockTo(settlesAt);
    this.#nights++;
    const settled = await eventually(
      () => this.#settled(),
      (entries) => entries.length >= this.#nights,
    );
    assert.deepEqual(settled.at(-1), { sales, isBalanced: true }, 'the terminal settled another day than was sold');
    await eventually(
      () => this.#status(),
      ({ state, acquirers }) => state === 'idle' && openBatch(acquirers) !== batch,
    );
    this.#clockTo(opensAt);
    return sales;
  }

  /**
   * The shop opens later until what is old is archived: a look for it that sales have interrupted goes on where it was, and the next begins
   * hours later.
   */
  async rest(isArchived: () => boolean): Promise<void> {
    for (let hours = 0; !isArchived(); hours += lookHours) {
      assert.ok(hours < restMostHours, `what is old is not archived after ${hours} hours`);
      if (hours > 0) this.#clockOn(lookHours * 3_600_000);
      // A look at all that is young takes seconds. After each call of its own the terminal waits until its journal is idle again.
      for (let look = 0; look < 400 && !isArchived(); look++) {
        this.#clockOn(idleMs);
        await pause(20);
      }
    }
    // A reader that a jump of the clock has made absent is told here, and not as a sale that failed.
    await eventually(
      () => this.#status(),
      ({ devices }) => devices.reader.state === 'ready',
    );
  }

  /** The host has every sale. */
  async agrees(sales: number): Promise<void> {
    const settled = (await this.#shop.settled()).reduce((sum, each) => sum + each.sales, 0);
    assert.equal(settled, sales, 'the host has settled other sales than were told');
    assert.equal((await this.#shop.posted()) ?? sales, sales, 'the host has other sales than were told');
  }

  /** Of the oldest and of the newest sale in turn. */
  async enquiries(): Promise<Soaked['enquiries']> {
    const [oldest, newest]: [number[], number[]] = [[], []];
    for (let each = 0; each < enquiriesOfEach; each++) {
      oldest.push(await this.#enquire('S-1'));
      newest.push(await this.#enquire(`S-${this.#sold}`));
    }
    return { oldest, newest };
  }

  /** The clock of what is started is told how late it is. Returns what the start took, in ms. */
  async restart(): Promise<number> {
    const tookMs = await this.#shop.restart();
    this.#shop.clockOn(this.#ahead);
    return tookMs;
  }

  /** A day on which the shop was closed is settled too, with nothing in it. */
  async #settled(): Promise<readonly Settled[]> {
    return (await this.#shop.settled()).filter(({ sales }) => sales > 0);
  }

  async #status(): Promise<Json> {
    return (await this.#pos.call('GET', `${this.#shop.api}/status`)).body;
  }

  async #enquire(messageId: string): Promise<number> {
    const from = performance.now();
    const { body } = await this.#pos.call('POST', `${this.#shop.api}/enquiry`, { posId: 'POS-1', messageId });
    assert.equal((body as Json).responseResult, 'SUCCESS', `the sale ${messageId} is forgotten`);
    return performance.now() - from;
  }

  /** The next time that it is so late. */
  #clockTo(hour: number): void {
    const now = new Date(Date.now() + this.#ahead);
    const next = new Date(now);
    next.setHours(hour, 0, 1, 0);
    if (next <= now) next.setDate(next.getDate() + 1);
    this.#clockOn(next.getTime() - now.getTime());
  }

  #clockOn(ms: number): void {
    this.#ahead += ms;
    this.#shop.clockOn(ms);
  }
}

function openBatch(acquirers: Json[]): number {
  return acquirers.find(({ id }) => id === 'EDC').openBatch;
}
