import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeviceState } from '../../ports/device.ts';
import type { Journal } from '../../ports/journal.ts';
import type { JournalEvent } from '../../events/event.ts';
import type {
  OctopusCard,
  OctopusDeduct,
  OctopusDeduction,
  OctopusFinding,
  OctopusPoll,
  OctopusReader,
  OctopusUpload,
} from '../../ports/octopus-reader.ts';
import { maskedNumberOf } from '../../records/payment.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';
import { resolveOctopus, octopusReference } from './authorize.ts';
import { pause } from '../../ports/pause.ts';

export interface OctopusReturnOptions {
  readonly reader: OctopusReader;
  readonly journal: Pick<Journal, 'read'>;
  readonly clock: Clock;
  /** What became of one may be known now. */
  readonly onCompleted: () => void;
  readonly onFailure?: (error: unknown) => void;
}

/** A deduction that only its card can complete. Of the card's number no more than this is kept. */
interface Missing {
  readonly id: TerminalTransactionId;
  readonly lastFour: string;
  readonly amountMinor: bigint;
  readonly reference: string;
}

/** How long nobody else has asked the reader before it is looked at for a card that was gone. */
const quietMs = 1_000;
/** Now and then it is looked whether they are still missing: the operator may have settled one. */
const lookMs = 60_000;
/** A reader that fails stays so for a while. */
const faultMs = 10_000;

/**
 * The Octopus reader, and beside its duties an eye on it for a card that was pulled away: while nobody else asks the reader, and whenever a
 * card is held to it for something else. The same reference on the same card is completed, never deducted twice; another card with the same
 * last digits is told apart by the reader itself.
 */
export class OctopusReturn implements OctopusReader {
  readonly #options: OctopusReturnOptions;
  readonly #missing = new Map<TerminalTransactionId, Missing>();
  readonly #closing = new AbortController();
  #looking: AbortController | undefined;
  #looked: Promise<unknown> = Promise.resolve();
  /** Calls of others that are under way, and the wait after the last of them. */
  #others = 0;
  #timer: unknown;

  constructor(options: OctopusReturnOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.reader.name;
  }

  get state(): DeviceState {
    return this.#options.reader.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#options.reader.onState(listener);
  }

  /** One try to find out what became of it: the events that conclude it. Where only its card can tell, it is looked for. */
  async findOut(record: TransactionRecord, printsReceipt: boolean): Promise<readonly JournalEvent[] | undefined> {
    const { id, intent, amount } = record;
    const { reader } = this.#options;
    let incomplete = false;
    const find = async (reference: string): Promise<OctopusFinding> => {
      const finding = await this.#aside(() => reader.find(reference));
      incomplete = finding.kind === 'incomplete';
      return finding;
    };
    const events = await resolveOctopus(record, { find }, printsReceipt);
    if (events) this.#missing.delete(id);
    else if (incomplete && intent) {
      const lastFour = maskedNumberOf(intent).slice(-4);
      this.#missing.set(id, { id, lastFour, amountMinor: amount.minor, reference: octopusReference(id, intent.trace) });
      this.#lookLater(quietMs);
    }
    return events;
  }

  async poll(signal: AbortSignal): Promise<OctopusPoll> {
    return this.#aside(async () => {
      const poll = await this.#options.reader.poll(signal);
      // It is the customer who was here before: what was begun then comes first.
      if (poll.kind === 'card') await this.#completeMissing(poll.card);
      return poll;
    });
  }

  deduct(order: OctopusDeduct): Promise<OctopusDeduction> {
    return this.#aside(() => this.#options.reader.deduct(order));
  }

  find(reference: string): Promise<OctopusFinding> {
    return this.#aside(() => this.#options.reader.find(reference));
  }

  upload(): Promise<OctopusUpload> {
    return this.#aside(() => this.#options.reader.upload());
  }

  /** Looks no more. The reader stays open. */
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

  /** Somebody else's call: the look at the reader ends before it. */
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

  /** Resolves with how long to wait before the next look. */
  async #look(looking: AbortController): Promise<number> {
    const { reader, clock } = this.#options;
    for (const { id } of this.#missing.values()) if (!(await this.#isMissing(id))) this.#missing.delete(id);
    if (this.#missing.size === 0 || looking.signal.aborted) return quietMs;
    if (reader.state !== 'ready') return faultMs;
    const timer = clock.setTimeout(() => looking.abort(), lookMs);
    try {
      const poll = await reader.poll(looking.signal);
      if (poll.kind === 'card') await this.#completeMissing(poll.card);
      // A card that lies there all day is no reason to ask it all the time.
      if (poll.kind !== 'cancelled') await pause(quietMs, clock, looking.signal);
      return quietMs;
    } finally {
      clock.clearTimeout(timer);
    }
  }

  async #completeMissing({ cardId }: OctopusCard): Promise<void> {
    for (const { id, lastFour, amountMinor, reference } of this.#missing.values()) {
      if (!cardId.endsWith(lastFour) || !(await this.#isMissing(id))) continue;
      const { kind } = await this.#options.reader.deduct({ amountMinor, cardId, reference });
      // What it came to is read from the reader's own record of it, by whoever writes it down.
      if (kind !== 'otherCard' && kind !== 'tryAgain') this.#options.onCompleted();
    }
  }

  async #isMissing(id: TerminalTransactionId): Promise<boolean> {
    return readableRecord(id, await this.#options.journal.read(id))?.reversal === 'queued';
  }
}
