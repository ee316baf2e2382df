import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { assertHostsAgree, assertJournalAgrees, drained } from '../e2e/books.ts';
import { Chance } from '../e2e/chance.ts';
import { eventually, type Json, Stage } from '../e2e/stage.ts';
import { Customers } from './customers.ts';
import { HostFaults } from './host-faults.ts';
import { journalFaults, phaseAtCut } from './journal-copy.ts';
import { momentNames, Moments } from './moments.ts';
import { Till, type Undecided } from './till.ts';

export interface CrashOptions {
  readonly cuts: number;
  readonly seed: number;
  /** Main file of the daemon; the sources by default. */
  readonly program?: string;
  /** How the terminal is killed; SIGKILL by default. Afterwards the process is dead and its disk is there. */
  readonly cut?: (stage: Stage) => Promise<void>;
  /** Called once, before the first sale. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** Called once, after the terminal has stopped finally. */
  readonly finish?: () => Promise<void>;
  readonly onCut?: (cuts: number) => void;
}

export interface CrashReport {
  /** Number of kills per phase. */
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
  /** Refunds and voids that the terminal leaves unknown, and their host does not have. */
  readonly undecided: number;
}

/** Configuration with short time-outs for hosts. */
export const busyShop = {
  // The messages between terminal and hosts are read by a proxy, so there is no TLS.
  flags: ['--plain-hosts'],
  acquirer: { replyTimeoutMs: 300 },
  configuration: {
    printer: undefined,
    rules: { tipNeedsSignature: false },
    timeouts: { walletPollMs: 20, walletResolveMs: 100, reversalWaitMs: 300 },
  },
};
export const tills = 3;
/** Longest wait for a moment. */
const momentMs = 1_500;
/** Longest delay after a moment: the steps of a sale are milliseconds apart, so most cuts come soon. */
const afterMs = 120;
const startMs = 900;
/** The queue asks for what is undecided once a minute. */
const undecidedMs = 90_000;

/**
 * Makes real sales under load, and kills the terminal repeatedly. Throws AssertionError if a POS was told something
 * untrue, or the books of POS, terminal and hosts differ.
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
    const chance = new Chance(seed + 1);
    const customers = new Customers(stage, chance, moments, failed.signal);
    const hostFaults = new HostFaults(stage, chance, failed.signal);
    const shop = Array.from(
      { length: tills },
      (_, index) => new Till(stage, `POS-${index + 1}`, new Chance(seed + 2 + index), moments, failed.signal),
    );
    const cutter = new Cutter(stage, new Chance(seed), moments, cut);
    const outside = [customers.run(), hostFaults.run()];
    const sales = shop.map((till) => till.serve());
    const day = async () => {
      for (let done = 0; done < cuts; ) {
        failed.signal.throwIfAborted();
        done += await cutter.cutAndStart(cuts - done);
        onCut?.(done);
      }
      for (const till of shop) till.close();
      await Promise.all(sales);
      customers.close();
      hostFaults.close();
    };
    await Promise.all([day(), ...outside, ...sales]);
    const open = await agree(stage, shop);
    return await reported(stage, shop, cutter.phases, open);
  } catch (error) {
    failed.abort(error);
    // A failed cut may have left the process stopped, and then only SIGKILL ends it.
    await stage.stopDaemon('SIGKILL');
    throw error;
  } finally {
    await stage.stopDaemon('SIGTERM');
    await finish?.();
    await stage.close();
  }
}

/** Kills and restarts the terminal. */
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

  /**
   * Kills at a random time after one to three random moments, and sometimes again during the start. Returns how often.
   */
  async cutAndStart(most: number): Promise<number> {
    for (let passed = this.#chance.below(3); passed >= 0; passed--) {
      await Promise.race([this.#moments.next(this.#chance.of(momentNames)), pause(momentMs)]);
    }
    await pause(this.#chance.next() ** 2 * afterMs);
    await this.#cutOff();
    let cuts = 1;
    while (cuts < most && this.#chance.once(8)) {
      const starting = this.#stage.startDaemon();
      // The start reports that the process ended: this is intended.
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

/** Compares the three books once nothing is pending. Stops the terminal. Returns how much stayed undecided. */
async function agree(stage: Stage, shop: readonly Till[]): Promise<number> {
  for (const id of ['EDC', 'CUP', 'QR'] as const) await stage.host(id, { mode: 'up' });
  const open = await undecided(stage, shop);
  const postings = shop.flatMap((till) => till.postings);
  await assertHostsAgree(stage, postings);
  for (const till of shop) await till.assertReported();
  const { body } = await stage.settle();
  // A void without an outcome keeps the batch of its sale open.
  const keepsOpen = open.some(({ reported }) => reported.request.transactionType === 'VOID');
  if (!keepsOpen) assert.equal(body.responseResult, 'SUCCESS', body.message);
  const differing = body.settlements.filter(
    ({ acquirerId, result }: Json) => result !== 'BALANCED' && !(keepsOpen && acquirerId === 'QR'),
  );
  assert.deepEqual(differing, [], 'a batch was settled by other totals than the host has');
  assert.deepEqual(await stage.unexpected(), []);
  await stage.stopDaemon('SIGTERM');
  assertJournalAgrees(stage, postings);
  assert.deepEqual(journalFaults(stage.stateDir), []);
  return open.length;
}

/** Waits until nothing is pending but refunds and voids that their host does not have. Returns those. */
async function undecided(stage: Stage, shop: readonly Till[]): Promise<readonly Undecided[]> {
  if (shop.every((till) => till.undecided.length === 0)) {
    await drained(stage);
    return [];
  }
  let open: readonly Undecided[] = [];
  await eventually(
    async () => {
      open = (await Promise.all(shop.map((till) => till.stillUndecided()))).flat();
      return { status: await stage.status(), ledger: await stage.ledger('QR') };
    },
    ({ status, ledger }) => {
      const isThere = ({ id }: Undecided) => ledger.some(({ tradeNo }) => tradeNo.startsWith(`${id}-`));
      return status.pendingAdvices === 0 && status.pendingReversals === open.length && !open.some(isThere);
    },
    undecidedMs,
  );
  return open;
}

async function reported(
  stage: Stage,
  shop: readonly Till[],
  phases: CrashReport['phases'],
  open: number,
): Promise<CrashReport> {
  const shown = shop.flatMap((till) => till.reported);
  const postings = shop.flatMap((till) => till.postings);
  const ledgers: Json[] = [...(await stage.ledger('EDC')), ...(await stage.ledger('CUP'))];
  return {
    phases,
    requests: shown.length,
    postings: postings.length,
    voids: postings.filter(({ status }) => status === 'VOIDED').length,
    tips: postings.filter(({ adjusted }) => adjusted === true).length,
    refunds: postings.filter(({ kind }) => kind === 'REFUND').length,
    wallets: postings.filter(({ acquirer, kind }) => acquirer === 'QR' && kind === 'SALE').length,
    reversals: ledgers.filter(({ status }) => status === 'REVERSED').length,
    settlements: shown.filter(({ call }) => call === 'settlement').length,
    undecided: open,
  };
}
