import { type AcquirerId, ownPosIds } from '../../base/domain/identifiers.ts';
import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../contracts/journal.ts';
import { readFailedBatches, type SettlementHistory } from '../records/failed-batches.ts';
import type { SettlementRequest } from './request.ts';
import type { SettleAnswer } from './answers.ts';

export interface DailySettlementOptions {
  /** 'hh:mm' in the terminal's own time zone. Without it, only settlements that have failed are repeated. */
  readonly at?: string;
  readonly acquirers: readonly AcquirerId[];
  readonly journal: SettlementHistory & Pick<Journal, 'settledAt' | 'unreadBatches' | 'batchPage' | 'writtenAt'>;
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly settle: (request: SettlementRequest) => Promise<SettleAnswer>;
  readonly onFailure: (error: unknown) => void;
}

const minuteMs = 60_000;
const lookMs = minuteMs;
/** After a start, the shop may want to sell first. */
const graceMs = 3 * minuteMs;
/** Pause after a failed settlement; it doubles with each further failure. */
const pauseMs = { first: minuteMs, most: 30 * minuteMs };
const dayMs = 24 * 60 * minuteMs;
/** The clock may be behind the journal by this much without being taken for wrong. */
const behindMs = 5 * minuteMs;

interface Turn {
  due: boolean;
  failures: number;
  /** Monotonic time, as everywhere here. */
  nextMs: number;
  settledMs: number;
}

/**
 * Settles all batches once a day. Every minute, the journal and the present clock decide whether a settlement is due,
 * because the terminal may be off at that hour, and its clock may be set or may start with the same date each day. So a
 * settlement is also due after a day of running, and if the clock is behind the journal. Returns a function that stops
 * it.
 */
export function settleDaily(options: DailySettlementOptions): () => void {
  const daily = new Daily(options);
  daily.start();
  return () => daily.stop();
}

interface DailyParts extends Omit<DailySettlementOptions, 'at' | 'acquirers' | 'settle' | 'onFailure'> {
  readonly acquirers: ReadonlyMap<AcquirerId, unknown>;
  readonly terminal: { settle(request: SettlementRequest): Promise<SettleAnswer> };
  readonly log: { failure(event: string, error: unknown): void };
}

/** Settles the batches of all acquirers every day, if it is configured, until it is closed. */
export function openDailySettlement(
  { settlement: { dailyAt: at } }: { readonly settlement: { readonly dailyAt?: string | undefined } },
  { acquirers, terminal, log, ...parts }: DailyParts,
) {
  const stop = settleDaily({
    ...parts,
    ...(at === undefined ? {} : { at }),
    acquirers: [...acquirers.keys()],
    settle: (request) => terminal.settle(request),
    onFailure: (error) => log.failure('settlement', error),
  });
  return { close: async () => stop() };
}

class Daily {
  readonly #options: DailySettlementOptions;
  readonly #turns: ReadonlyMap<AcquirerId, Turn>;
  readonly #startedMs: number;
  #before: Date | undefined;
  #timer: unknown;
  #stopped = false;

  constructor(options: DailySettlementOptions) {
    this.#options = options;
    this.#startedMs = options.clock.elapsedMs();
    const turn = () => ({ due: false, failures: 0, nextMs: this.#startedMs + graceMs, settledMs: this.#startedMs });
    this.#turns = new Map(options.acquirers.map((id) => [id, turn()]));
  }

  start(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      void this.#look()
        .catch((error: unknown) => this.#options.onFailure(error))
        .then(() => {
          if (!this.#stopped) this.start();
        });
    }, lookMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const before = this.#before;
    for (const [id, turn] of this.#turns) turn.due ||= await this.#isDue(id, turn, now, before);
    this.#before = now;
    const nowMs = clock.elapsedMs();
    const ready = [...this.#turns].filter(([, turn]) => turn.due && turn.nextMs <= nowMs);
    // The first settlement of the day covers all acquirers and prints one report. Failed ones are repeated separately.
    const all = ready.length === this.#turns.size && ready.every(([, { failures }]) => failures === 0);
    if (all && ready.length > 0) return this.#settle({ messageId: this.#messageId(now), digest: 'daily' });
    for (const [id, { failures }] of ready) {
      if (this.#stopped) return;
      await this.#settle({
        acquirerId: id,
        ...quiet(failures),
        messageId: this.#messageId(now),
        digest: `daily ${id}`,
      });
    }
    const others = [...this.#turns].filter(([, turn]) => !turn.due && turn.nextMs <= clock.elapsedMs());
    if (others.length === 0) return;
    const failed = new Set((await readFailedBatches(this.#options.journal)).map(({ acquirerId }) => acquirerId));
    for (const [id, turn] of others) if (!this.#stopped) await this.#takeUp(id, turn, now, failed.has(id));
  }

  /**
   * Repeats a settlement that has failed, of any origin. `isOpen`: the acquirer has received nothing about the batch,
   * so it was opened again. Otherwise it stayed closed, and the open batch is not settled with it.
   */
  async #takeUp(id: AcquirerId, turn: Turn, now: Date, isOpen: boolean): Promise<void> {
    const { journal } = this.#options;
    const isClosed = (await journal.settlingBatches(id)).length + (await journal.unreadBatches(id)).length > 0;
    if (!isOpen && !isClosed) return;
    turn.failures = Math.max(turn.failures, 1);
    const only = {
      acquirerId: id,
      quiet: true,
      ...(isOpen ? { failedOnly: true as const } : { waitingOnly: true as const }),
    } as const;
    await this.#settle({ ...only, messageId: this.#messageId(now), digest: `again ${id}` });
  }

  async #settle(request: Omit<SettlementRequest, 'posId'>): Promise<void> {
    const { settle, clock, onFailure } = this.#options;
    const answer = await settle({ posId: ownPosIds.terminal, ...request }).catch((error: unknown) => onFailure(error));
    // Busy, or the journal failed: the settlement stays due.
    if (answer?.kind !== 'ended') return;
    for (const { acquirerId: id, result } of answer.settlement.results ?? []) {
      const turn = this.#turns.get(id);
      if (!turn) continue;
      const elapsedMs = clock.elapsedMs();
      if (result === 'FAILED') {
        turn.nextMs = elapsedMs + Math.min(pauseMs.first * 2 ** turn.failures, pauseMs.most);
        turn.failures += 1;
      } else Object.assign(turn, { due: false, failures: 0, nextMs: elapsedMs, settledMs: elapsedMs });
    }
  }

  async #isDue(id: AcquirerId, turn: Turn, now: Date, before: Date | undefined): Promise<boolean> {
    const { at, journal, clock } = this.#options;
    if (at === undefined) return false;
    const hour = latest(at, now);
    const settledAt = await journal.settledAt(id);
    if (settledAt !== undefined && new Date(settledAt) < hour) return true;
    if (before && before < hour) return true;
    const isDay = clock.elapsedMs() - turn.settledMs >= dayMs;
    // After a start, it is unknown how long the terminal was off.
    const isStart = before === undefined;
    if (settledAt !== undefined && !isDay && !isStart) return false;
    const first = await this.#oldest(id);
    if (first === undefined) return false;
    // There was no settlement yet.
    if (settledAt === undefined && new Date(first) < hour) return true;
    return isDay || (isStart && (await this.#isBehind(now, settledAt)));
  }

  async #isBehind(now: Date, settledAt = ''): Promise<boolean> {
    const writtenAt = (await this.#options.journal.writtenAt()) ?? '';
    const last = writtenAt > settledAt ? writtenAt : settledAt;
    return last !== '' && new Date(last).getTime() > now.getTime() + behindMs;
  }

  /** When the oldest transaction of the open batch began. */
  async #oldest(id: AcquirerId): Promise<string | undefined> {
    const { journal } = this.#options;
    const [oldest] = await journal.batchPage(id, await journal.openBatch(id), '', 1);
    return oldest?.events[0]?.at;
  }

  /** Unique and not predictable: the date may be the same every day. */
  #messageId(now: Date): string {
    return `${dateOf(now)} ${Buffer.from(this.#options.random.bytes(16)).toString('hex')}`;
  }
}

function quiet(failures: number): { readonly quiet?: true } {
  return failures > 0 ? { quiet: true } : {};
}

/** The last time at which the clock showed that hour and minute. */
function latest(at: string, now: Date): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const hour = new Date(now);
  hour.setHours(hours, minutes, 0, 0);
  if (hour > now) hour.setDate(hour.getDate() - 1);
  return hour;
}

function dateOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `daily ${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
