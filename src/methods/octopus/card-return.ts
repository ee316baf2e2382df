import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { DeviceState } from '../../base/ports/device.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type {
  OctopusCard,
  OctopusDeduct,
  OctopusDeduction,
  OctopusFinding,
  OctopusPoll,
  OctopusReader,
  OctopusUpload,
} from '../../base/ports/octopus-reader.ts';
import { maskedNumberOf } from '../../payment/records/payment.ts';
import { readableRecord, type TransactionRecord } from '../../payment/records/record.ts';
import { resolveOctopus, octopusReference, readerOf } from './authorize.ts';
import { pause } from '../../base/ports/pause.ts';

export interface OctopusReturnOptions {
  readonly reader: OctopusReader;
  readonly journal: Pick<Journal, 'read'>;
  readonly clock: Clock;
  /** Called when the outcome of a deduction may have become known. */
  readonly onCompleted: () => void;
  readonly onFailure?: (error: unknown) => void;
}

/** A deduction that only its card can complete. No more of the card's number is kept than its last four digits. */
interface Missing {
  readonly id: TerminalTransactionId;
  readonly lastFour: string;
  readonly amountMinor: bigint;
  readonly reference: string;
  readonly deviceId: string | undefined;
}

/** The reader must have been idle for this long before it is polled for a missing card. */
const quietMs = 1_000;
/**
 * One poll for a missing card ends after this time, and the list is checked again: the operator may have settled one.
 */
const lookMs = 60_000;
/** Pause after a failure, because a failing reader usually fails for a while. */
const faultMs = 10_000;

/**
 * The Octopus reader, which also watches for cards that were pulled away before their deduction was complete: while the
 * reader is not in use, and whenever a card is presented for another payment. The same reference on the same card is
 * completed, never deducted twice. The reader itself rejects another card with the same last digits.
 */
export class OctopusReturn implements OctopusReader {
  readonly #options: OctopusReturnOptions;
  readonly #missing = new Map<TerminalTransactionId, Missing>();
  readonly #closing = new AbortController();
  #looking: AbortController | undefined;
  #looked: Promise<unknown> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();
  /** Calls by others that are in progress, and the timer that starts after the last of them. */
  #others = 0;
  #timer: unknown;

  constructor(options: OctopusReturnOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.reader.name;
  }

  get deviceId(): string | undefined {
    return this.#options.reader.deviceId;
  }

  get state(): DeviceState {
    return this.#options.reader.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#options.reader.onState(listener);
  }

  /**
   * One attempt to resolve a deduction: returns the events that conclude it. If only its card can decide it, the reader
   * is watched for it.
   */
  async findOut(record: TransactionRecord, printsReceipt: boolean): Promise<readonly JournalEvent[] | undefined> {
    const { id, intent, amount } = record;
    const { reader } = this.#options;
    let incomplete = false;
    const find = async (reference: string, deviceId?: string): Promise<OctopusFinding> => {
      const finding = await this.#aside(() => reader.find(reference, deviceId));
      incomplete = finding.kind === 'incomplete';
      return finding;
    };
    const events = await resolveOctopus(record, { find }, printsReceipt);
    if (events) this.#missing.delete(id);
    else if (incomplete && intent) {
      const lastFour = maskedNumberOf(intent).slice(-4);
      const reference = octopusReference(id, intent.trace);
      this.#missing.set(id, { id, lastFour, amountMinor: amount.minor, reference, deviceId: readerOf(intent) });
      this.#lookLater(quietMs);
    }
    return events;
  }

  /**
   * Runs `work` while no missing deduction is being completed. None is started until `work` has ended. `find` reads the
   * reader's own record.
   */
  alone<T>(work: (find: OctopusReader['find']) => Promise<T>): Promise<T> {
    return this.#aside(() => this.#inTurn(() => work((...asked) => this.#options.reader.find(...asked))));
  }

  async poll(signal: AbortSignal): Promise<OctopusPoll> {
    return this.#aside(async () => {
      const poll = await this.#options.reader.poll(signal);
      // The same customer may be back: the earlier deduction is completed first.
      if (poll.kind === 'card') await this.#completeMissing(poll.card);
      return poll;
    });
  }

  deduct(order: OctopusDeduct): Promise<OctopusDeduction> {
    return this.#aside(() => this.#options.reader.deduct(order));
  }

  find(reference: string, deviceId?: string): Promise<OctopusFinding> {
    return this.#aside(() => this.#options.reader.find(reference, deviceId));
  }

  upload(): Promise<OctopusUpload> {
    return this.#aside(() => this.#options.reader.upload());
  }

  /** Stops watching. The reader stays open. */
  async stop(): Promise<void> {
    this.#closing.abort();
    this.#looking?.abort();
    this.#options.clock.clearTimeout(this.#timer);
    await this.#looked;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#options.reader.close();
  }

  /** Runs a call of another user of the reader; the watch ends before it. */
  async #aside<T>(call: () => Promise<T>): Promise<T> {
    this.#others += 1;
    try {
      this.#looking?.abort();
      await this.#looked;
      return await call();
    } finally {
      this.#others -= 1;
      this.#lookLater(quietMs);
    }
  }

  /** Completing a deduction and deciding about it never run at the same time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #lookLater(ms: number): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    if (this.#missing.size === 0 || this.#others > 0 || this.#looking || this.#closing.signal.aborted) return;
    this.#timer = clock.setTimeout(() => {
      if (this.#others > 0 || this.#looking) return;
      const looking = new AbortController();
      this.#looking = looking;
      this.#looked = this.#look(looking).catch((error: unknown) => {
        this.#options.onFailure?.(error);
        return faultMs;
      });
      void this.#looked.then((nextMs) => {
        this.#looking = undefined;
        this.#lookLater(Number(nextMs));
      });
    }, ms);
  }

  /** Polls once. Resolves with the delay before the next poll, in milliseconds. */
  async #look(looking: AbortController): Promise<number> {
    const { reader, clock } = this.#options;
    for (const { id } of this.#missing.values()) if (!(await this.#isMissing(id))) this.#missing.delete(id);
    if (this.#missing.size === 0 || looking.signal.aborted) return quietMs;
    if (reader.state !== 'ready') return faultMs;
    const timer = clock.setTimeout(() => looking.abort(), lookMs);
    try {
      const poll = await reader.poll(looking.signal);
      if (poll.kind === 'card') await this.#completeMissing(poll.card);
      // A card that stays on the reader must not be polled without a pause.
      if (poll.kind !== 'cancelled') await pause(quietMs, clock, looking.signal);
      return quietMs;
    } finally {
      clock.clearTimeout(timer);
    }
  }

  #completeMissing(card: OctopusCard): Promise<void> {
    return this.#inTurn(() => this.#completeOf(card));
  }

  async #completeOf({ cardId }: OctopusCard): Promise<void> {
    for (const { id, lastFour, amountMinor, reference, deviceId } of this.#missing.values()) {
      if (!cardId.endsWith(lastFour) || !(await this.#isMissing(id))) continue;
      const { kind } = await this.#options.reader.deduct({ amountMinor, cardId, reference, deviceId });
      // The outcome is read from the reader's own record, by the queue that journals it.
      if (kind !== 'otherCard' && kind !== 'tryAgain') this.#options.onCompleted();
    }
  }

  async #isMissing(id: TerminalTransactionId): Promise<boolean> {
    return readableRecord(id, await this.#options.journal.read(id))?.reversal === 'queued';
  }
}
