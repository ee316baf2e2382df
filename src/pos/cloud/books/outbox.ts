import type { Change, ChangeSlice } from '../../../payment/contracts/changes.ts';
import type { Clock, Random } from '../../../base/ports/clock.ts';
import type { CloudLink, CloudMessage } from '../../../payment/contracts/cloud-link.ts';
import { IdleWait } from './idle-wait.ts';
import { Unacknowledged } from './unacknowledged.ts';

/** What the sink has committed: everything of this stream up to `seq`. */
interface Acknowledgement {
  readonly stream: string;
  readonly seq: number;
  /** Something before what it got is missing: it needs everything after `seq` again. */
  readonly again: boolean;
}

const bytesMax = 1_024;

/** Undefined for what is none: it comes over a broker, and anybody there may have written it. */
export function parseAcknowledgement(payload: Uint8Array): Acknowledgement | undefined {
  if (payload.length > bytesMax) return undefined;
  try {
    const { stream, seq, again } = JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
    if (typeof stream !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
      return undefined;
    return { stream, seq, again: again === true };
  } catch {
    return undefined;
  }
}

/** At most so many messages are under way: the memory of the outbox, and of the broker for one terminal. */
const windowMax = 32;
/** So long the broker has to tell what the sink has acknowledged before. */
const ackWaitMs = 2_000;
/** What is written is read so much later: the answer of a payment comes first. */
const quietMs = 500;
/** What changes without an event is found so much later at most; so is what could not be read. */
const lookMs = 15_000;
/** A journal is an older copy so rarely that more names than these come from a forged acknowledgement. */
const leftMax = 8;
/** What `#leaveStream` adds to the journal's name. */
const laterName = /^\.[0-9a-f]{8}$/;

export interface OutboxParts {
  readonly link: CloudLink;
  readonly journal: {
    readonly stream: string;
    changes(after: number): Promise<ChangeSlice>;
  };
  /** Undefined if there is nothing to tell of it. */
  readonly describe: (change: Change) => Promise<DescribedChange | undefined>;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** The journal can't be read, or it is older than what the sink has of it. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Sends the sink every transaction and settlement once it has ended, and again when it has changed, in the order of the
 * changes. Nothing is stored for it: what waits is in the journal, and what has arrived is told by the sink's own
 * acknowledgement, which the broker retains. Until that comes, everything after the last one is sent again.
 *
 * An acknowledgement is not signed, and the broker may have made it up. So what was not acknowledged on this connection is not believed
 * unseen: the message at that place is sent once more. A sink that has it drops it; one that lacks anything before it asks for that.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #idleWait: IdleWait;
  readonly #unacked: Unacknowledged;
  readonly #leave: (() => void)[];
  #stream: string;
  /** Names that this process has given up: what is still on its way of them counts no more, unless the sink asks for more. */
  readonly #left = new Set<string>();
  /** The fault was reported on this connection. */
  #isReported = false;
  /** What the sink has, as far as this process knows. */
  #acked: number | undefined;
  /** How far the journal was read, and the last message's place. */
  #place = { read: 0, sent: 0 };
  /** Ends whatever was begun from another place, or on another connection. */
  #turn: AbortController | undefined;
  #timer: unknown;
  #dueMs = Number.POSITIVE_INFINITY;
  #sending: Promise<void> | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#idleWait = new IdleWait(parts.isIdle, parts.clock);
    this.#unacked = new Unacknowledged(parts.clock, parts.random, () => this.#rewind());
    this.#stream = parts.journal.stream;
    this.#leave = [
      parts.link.subscribe('books/ack', (message) => this.#hear(message)),
      parts.link.watch((isUp) => this.#noteLink(isUp)),
    ];
  }

  /** What is under way, and what the sink has. */
  get state(): { readonly stream: string; readonly acknowledged: number | undefined; readonly underway: number } {
    return { stream: this.#stream, acknowledged: this.#acked, underway: this.#unacked.count };
  }

  /** Everything up to here the sink has, or there was nothing to tell of it; undefined while nobody knows. */
  get place(): number | undefined {
    const isIdle = this.#turn !== undefined && this.#unacked.count === 0;
    return this.#acked === undefined ? undefined : Math.max(this.#acked, isIdle ? this.#place.read : 0);
  }

  /** Something was written: it is read a moment later. Costs the payment nothing but this call. */
  notice(): void {
    this.#sendIn(quietMs);
  }

  async close(): Promise<void> {
    for (const leave of this.#leave) leave();
    this.#end();
    await this.#sending;
  }

  #noteLink(isUp: boolean): void {
    this.#end();
    if (!isUp) return;
    this.#unacked.calm();
    this.#isReported = false;
    this.#begin(this.#acked === undefined ? ackWaitMs : 0, this.#asking);
  }

  #end(): void {
    this.#turn?.abort();
    this.#turn = undefined;
    this.#unacked.clear();
    this.#parts.clock.clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** With the last message that the sink is said to have: its answer tells whether it has. */
  get #asking(): number {
    return Math.max((this.#acked ?? 0) - 1, 0);
  }

  /** From what the sink has. */
  #begin(inMs: number, from = this.#acked ?? 0): void {
    this.#place = { read: from, sent: from };
    this.#turn = new AbortController();
    this.#sendIn(inMs);
  }

  #rewind(from = this.#acked ?? 0): void {
    if (!this.#turn) return;
    this.#end();
    this.#begin(0, from);
  }

  #hear(message: CloudMessage): void {
    const heard = parseAcknowledgement(message.payload);
    if (!heard || !this.#turn) return;
    const { stream } = this.#parts.journal;
    const isLaterName = heard.stream.startsWith(stream) && laterName.test(heard.stream.slice(stream.length));
    // A life of this journal that an earlier process has named (see #leaveStream): the sink says which is the last. It may be one that
    // this process has left, where what went by that name came after what goes by the next.
    if (isLaterName && (heard.again || !this.#left.has(heard.stream))) this.#stream = heard.stream;
    if (heard.stream !== this.#stream) return;
    this.#unacked.noteWord();
    if (this.#acked === undefined || heard.seq > Math.max(this.#acked, this.#place.read)) return this.#jump(heard);
    const isBehind = heard.seq < this.#acked;
    this.#acked = heard.seq;
    if (isBehind || heard.again) return this.#rewind();
    this.#unacked.drop(heard.seq);
    this.#sendIn(0);
  }

  /** The sink has more than this process has sent: it was sent by an earlier one, if it is this journal's. */
  #jump({ seq }: Acknowledgement): void {
    const isSentHere = seq <= this.#place.sent;
    this.#acked = seq;
    this.#rewind(isSentHere ? seq : this.#asking);
    const turn = this.#turn;
    if (seq === 0 || !turn) return;
    // Something at that place, or a later change of it, is in the journal that has sent it.
    this.#parts.journal.changes(seq - 1).then(
      ({ until }) => until < seq && !turn.signal.aborted && this.#leaveStream(seq),
      (error: Error) => this.#parts.onFailure(error),
    );
  }

  /**
   * The sink has what this journal never wrote: it is an older copy, and its numbers will mean something else. So all of
   * it is told anew under another name, which the retained acknowledgement keeps.
   */
  #leaveStream(seq: number): void {
    const { journal, random, onFailure } = this.#parts;
    // The oldest name is the first.
    for (const oldest of this.#left) if (this.#left.size >= leftMax) this.#left.delete(oldest);
    this.#left.add(this.#stream);
    this.#stream = `${journal.stream}.${Buffer.from(random.bytes(4)).toString('hex')}`;
    this.#acked = 0;
    this.#rewind();
    // Anybody at the broker can cause this again and again.
    if (this.#isReported) return;
    this.#isReported = true;
    onFailure(
      new Error(`the sink has ${seq} of this journal, which ends before: it is an older copy, and is told anew`),
    );
  }

  #sendIn(ms: number): void {
    const { clock } = this.#parts;
    if (!this.#turn || this.#dueMs <= ms) return;
    clock.clearTimeout(this.#timer);
    this.#dueMs = ms;
    this.#timer = clock.setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      const before = this.#sending ?? Promise.resolve();
      const sending = before
        .then(() => this.#send())
        .finally(() => this.#sending === sending && (this.#sending = undefined));
      this.#sending = sending;
    }, ms);
  }

  async #send(): Promise<void> {
    const turn = this.#turn?.signal;
    if (!turn) return;
    try {
      while (!this.#isFull && (await this.#sendSlice(turn)));
    } catch (error) {
      this.#parts.onFailure(error as Error);
    }
    if (!turn.aborted) this.#sendIn(lookMs);
  }

  /** Until a sink answers, one message asks for it. */
  get #isFull(): boolean {
    return this.#unacked.count >= (this.#unacked.isSilent ? 1 : windowMax);
  }

  /** Whether there is more to read. */
  async #sendSlice(turn: AbortSignal): Promise<boolean> {
    const { journal, describe } = this.#parts;
    await this.#idleWait.begin(turn);
    const { changes, until, hasMore } = await journal.changes(this.#place.read);
    for (const change of changes) {
      if (turn.aborted || this.#isFull) return false;
      await this.#idleWait.begin(turn);
      const described = await describe(change);
      if (turn.aborted) return false;
      if (described && !this.#publish(change, described)) return false;
      this.#place = { read: change.seq, sent: described ? change.seq : this.#place.sent };
    }
    if (turn.aborted) return false;
    this.#place = { ...this.#place, read: until };
    return hasMore;
  }

  /**
   * False if the message is longer than the broker takes. Nothing goes past it, because the sink would never learn what it
   * lacks: it waits, with all that follows, until the broker takes more.
   */
  #publish(change: Change, described: DescribedChange): boolean {
    const payload = bookMessage(this.#stream, this.#place.sent, change, described);
    const fits = this.#parts.link.fits('books', { payload, qos: 1 });
    if (fits) this.#unacked.add(change.seq);
    // Whether the broker has it says nothing: only the sink's word counts, and its silence.
    this.#parts.link.publish('books', { payload, qos: 1 }).catch(() => undefined);
    return fits;
  }
}

/** A change as the sink keeps it: the transaction or the settlement as it is told now. */
interface DescribedChange {
  readonly record: unknown;
  /** How the transactions that it refers to stand since: a void changes its sale. */
  readonly originals?: readonly { readonly id: string; readonly record: unknown }[];
}

/** `after`: the place of the message before. Whoever has everything up to there misses nothing with this one. */
function bookMessage(stream: string, after: number, change: Change, described: DescribedChange): Uint8Array {
  const { seq, kind, id, at, batch } = change;
  const { record, originals = [] } = described;
  const more = { ...(at === undefined ? {} : { at }), ...(batch === undefined ? {} : { batch }) };
  const message = { stream, seq, after, kind, id, version: seq, ...more, record };
  return Buffer.from(JSON.stringify(originals.length === 0 ? message : { ...message, originals }));
}
