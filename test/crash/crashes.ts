import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { assertHostsAgree, assertJournalAgrees, drained } from '../e2e/books.ts';
import { Chance } from '../e2e/chance.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { journalFaults, phaseAtCut } from './journal-copy.ts';
import { momentNames, Moments } from './moments.ts';
import { Street } from './street.ts';
import { Till } from './till.ts';

export interface CrashOptions {
  readonly cuts: number;
  readonly seed: number;
  /** Main file of the daemon; the sources where none is named. */
  readonly program?: string;
  /** How the terminal is cut off; with SIGKILL where nothing is named. It is dead afterwards, its disk is there. */
  readonly cut?: (stage: Stage) => Promise<void>;
  /** Once, before anything is sold. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** Once, when the terminal is stopped for good. */
  readonly finish?: () => Promise<void>;
  readonly onCut?: (cuts: number) => void;
}

export interface CrashReport {
  /** How often the terminal was cut off in which phase. */
  readonly phases: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly postings: number;
  readonly voids: number;
  readonly tips: number;
  readonly refunds: number;
  /** Paid by QR wallets. */
  readonly wallets: number;
  /** Of cards: postings that a host has taken back. */
  readonly reversals: number;
  readonly settlements: number;
}

/** A terminal that does not wait long for its hosts. */
export const busyShop = {
  acquirer: { replyTimeoutMs: 300 },
  configuration: {
    printer: undefined,
    rules: { tipNeedsSignature: false },
    timeouts: { walletPollMs: 20, walletResolveMs: 100, reversalWaitMs: 300 },
  },
};
export const tills = 3;
/** A moment that does not come is not waited for. */
const momentMs = 1_500;
/** After it, at the latest: the steps of a sale are milliseconds apart, so most cuts are soon. */
const afterMs = 120;
const startMs = 900;

/**
 * Real sales under load, and the terminal cut off again and again. Throws AssertionError where a POS was told what is not so, or the
 * books of POS, terminal and hosts differ.
 */
export async function crashed({
  cuts,
  seed,
  program,
  cut,
  prepare,
  finish,
  onCut,
}: CrashOptions): Promise<CrashReport> {
  const stage = await Stage.open({ ...busyShop, ...(program === undefined ? {} : { program }) });
  const failed = new AbortController();
  try {
    await prepare?.(stage);
    const moments = new Moments();
    const street = new Street(stage, new Chance(seed + 1), moments, failed.signal);
    const shop = Array.from(
      { length: tills },
      (_, index) => new Till(stage, `POS-${index + 1}`, new Chance(seed + 2 + index), moments, failed.signal),
    );
    const cutter = new Cutter(stage, new Chance(seed), moments, cut);
    const outside = street.live();
    const sales = shop.map((till) => till.serve());
    const day = async () => {
      for (let done = 0; done < cuts; ) {
        failed.signal.throwIfAborted();
        done += await cutter.cutAndStart(cuts - done);
        onCut?.(done);
      }
      for (const till of shop) till.close();
      await Promise.all(sales);
      street.close();
    };
    await Promise.all([day(), outside, ...sales]);
    await agree(stage, shop);
    return await reported(stage, shop, cutter.phases);
  } catch (error) {
    failed.abort(error);
    // A cut that went wrong may have left it standing still, where nothing else ends it.
    await stage.stopDaemon('SIGKILL');
    throw error;
  } finally {
    await stage.stopDaemon('SIGTERM');
    await finish?.();
    await stage.close();
  }
}

/** Whoever pulls the plug. */
class Cutter {
  readonly phases = new Map<string, number>();
  readonly #stage: Stage;
  readonly #chance: Chance;
  readonly #moments: Moments;
  readonly #cut: (stage: Stage) => Promise<void>;

  constructor(stage: Stage, chance: Chance, moments: Moments, cut: CrashOptions['cut']) {
    this.#stage = stage;
    this.#chance = chance;
    this.#moments = moments;
    this.#cut = cut ?? ((terminal) => terminal.stopDaemon('SIGKILL'));
  }

  /** At a random time after a random moment or a few, and now and then once more while it starts. Returns how often. */
  async cutAndStart(most: number): Promise<number> {
    for (let passed = this.#chance.below(3); passed >= 0; passed--) {
      await Promise.race([this.#moments.next(this.#chance.of(momentNames)), pause(momentMs)]);
    }
    await pause(this.#chance.next() ** 2 * afterMs);
    await this.#cutOff();
    let cuts = 1;
    while (cuts < most && this.#chance.once(8)) {
      const starting = this.#stage.startDaemon();
      // It says that it ended at its start: that is what is wanted.
      starting.catch(() => undefined);
      await pause(this.#chance.next() * startMs);
      await this.#cutOff('starting, ');
      cuts++;
    }
    await this.#stage.startDaemon();
    return cuts;
  }

  async #cutOff(when = ''): Promise<void> {
    await this.#cut(this.#stage);
    const phase = when + phaseAtCut(this.#stage.stateDir);
    this.phases.set(phase, (this.phases.get(phase) ?? 0) + 1);
  }
}

/** The three books, once nothing is under way any more. Stops the terminal. */
async function agree(stage: Stage, shop: readonly Till[]): Promise<void> {
  const postings = shop.flatMap((till) => till.postings);
  for (const id of ['EDC', 'CUP', 'QR'] as const) await stage.host(id, { mode: 'up' });
  await drained(stage);
  await assertHostsAgree(stage, postings);
  for (const till of shop) await till.assertTold();
  const { body } = await stage.settle();
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  const differing = body.settlements.filter(({ result }: Json) => result !== 'BALANCED');
  assert.deepEqual(differing, [], 'a batch was settled by other totals than the host has');
  assert.deepEqual(await stage.unexpected(), []);
  await stage.stopDaemon('SIGTERM');
  assertJournalAgrees(stage, postings);
  assert.deepEqual(journalFaults(stage.stateDir), []);
}

async function reported(stage: Stage, shop: readonly Till[], phases: CrashReport['phases']): Promise<CrashReport> {
  const told = shop.flatMap((till) => till.told);
  const postings = shop.flatMap((till) => till.postings);
  const ledgers: Json[] = [...(await stage.ledger('EDC')), ...(await stage.ledger('CUP'))];
  return {
    phases,
    requests: told.length,
    postings: postings.length,
    voids: postings.filter(({ status }) => status === 'VOIDED').length,
    tips: postings.filter(({ adjusted }) => adjusted === true).length,
    refunds: postings.filter(({ kind }) => kind === 'REFUND').length,
    wallets: postings.filter(({ acquirer, kind }) => acquirer === 'QR' && kind === 'SALE').length,
    reversals: ledgers.filter(({ status }) => status === 'REVERSED').length,
    settlements: told.filter(({ call }) => call === 'settlement').length,
  };
}
