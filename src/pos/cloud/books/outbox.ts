import type { Change, ChangeSlice } from '../../../payment/contracts/changes.ts';
import type { Clock, Random } from '../../../base/ports/clock.ts';
import type { CloudLink, CloudMessage } from '../../../payment/contracts/cloud-link.ts';
import { DurableFeed } from '../../feeds/durable-feed.ts';
import type { FeedSink } from '../../feeds/feed-sink.ts';
import { Unacknowledged } from './unacknowledged.ts';

/** The sink's acknowledgement: it has committed this stream up to `seq`. */
interface Acknowledgement {
  readonly stream: string;
  readonly seq: number;
  /** An earlier entry is missing: the sink needs all entries after `seq` again. */
  readonly again: boolean;
}

const bytesMax = 1_024;

/** Undefined for another message: any client of the broker may have written it. */
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
/** Maximum wait for the broker's retained acknowledgement. */
const ackWaitMs = 2_000;
/** Pause before a message that is longer than the broker accepts is tried again. */
const tooLongMs = 15_000;
/** A journal is rarely restored, so more names than these come from a forged acknowledgement. */
const leftMax = 8;
/** The suffix that `#leaveStream` adds to the journal's name. */
const laterName = /^\.[0-9a-f]{8}$/;

export interface OutboxParts {
  readonly link: CloudLink;
  readonly journal: {
    readonly stream: string;
    changes(after: number): Promise<ChangeSlice>;
  };
  /** Undefined if there is nothing to send about it. */
  readonly describe: (change: Change) => Promise<DescribedChange | undefined>;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** The journal can't be read, or it is older than the sink's entries of it. */
  readonly onFailure: (error: Error) => void;
}

/**
 * The feed of a chain's books. It stores nothing: the waiting entries are in the journal, and the sink's
 * acknowledgement, which the broker retains, reports the received ones. Until that comes, all entries after the last
 * one are sent again.
 *
 * An acknowledgement is not signed, so the broker may have forged it. An acknowledgement of another connection is
 * verified: the message at that place is sent once more. A sink that has it drops it; one that lacks an earlier entry
 * requests that.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #feed: DurableFeed<DescribedChange>;
  readonly #unacked: Unacknowledged;
  readonly #leave: (() => void)[];
  #stream: string;
  /** Names that this process has given up: acknowledgements of them are ignored, unless the sink requests more. */
  readonly #left = new Set<string>();
  /** Other journals of this terminal that the sink has heard after this one. */
  readonly #others = new Set<string>();
  /** The fault was reported on this connection. */
  #isReported = false;
  /** The sink's position, as far as this process knows it. */
  #acked: number | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#unacked = new Unacknowledged(parts.clock, parts.random, () => this.#rewind());
    this.#feed = new DurableFeed({ ...parts, sink: this.#sink() });
    this.#stream = parts.journal.stream;
    this.#leave = [
      parts.link.subscribe('books/ack', (message) => this.#hear(message)),
      parts.link.watch((isUp) => this.#noteLink(isUp)),
    ];
  }

  /** The messages in flight, and the sink's position. */
  get state(): { readonly stream: string; readonly acknowledged: number | undefined; readonly underway: number } {
    return { stream: this.#stream, acknowledged: this.#acked, underway: this.#unacked.count };
  }

  /** The sink has all entries up to here; undefined while that is unknown. */
  get place(): number | undefined {
    const isThrough = this.#feed.signal !== undefined && this.#unacked.count === 0;
    return this.#acked === undefined ? undefined : Math.max(this.#acked, isThrough ? this.#feed.read : 0);
  }

  /** Notes a write, which is read a moment later. It costs the payment only this call. */
  notice(): void {
    this.#feed.notice();
  }

  async close(): Promise<void> {
    for (const leave of this.#leave) leave();
    this.#end();
    await this.#feed.close();
  }

  #noteLink(isUp: boolean): void {
    this.#end();
    if (!isUp) return;
    this.#unacked.calm();
    this.#isReported = false;
    this.#feed.start(this.#asking, this.#acked === undefined ? ackWaitMs : 0);
  }

  #end(): void {
    this.#feed.stop();
    this.#unacked.clear();
  }

  /** Begins with the last message that was acknowledged: the answer to it shows whether the sink has it. */
  get #asking(): number {
    return Math.max((this.#acked ?? 0) - 1, 0);
  }

  /** Begins after the sink's position. */
  #rewind(from = this.#acked ?? 0): void {
    if (!this.#feed.signal) return;
    this.#end();
    this.#feed.start(from);
  }

  #hear(message: CloudMessage): void {
    const heard = parseAcknowledgement(message.payload);
    if (!heard || !this.#feed.signal) return;
    const { stream } = this.#parts.journal;
    const isLaterName = heard.stream.startsWith(stream) && laterName.test(heard.stream.slice(stream.length));
    // A stream name that an earlier process has chosen for this journal (see #leaveStream): the sink reports the last
    // one. It may be one that this process has left, if the messages of that name arrived after those of the next.
    if (isLaterName && (heard.again || !this.#left.has(heard.stream))) this.#stream = heard.stream;
    if (heard.stream !== this.#stream) return this.#hearOther(heard);
    this.#unacked.noteWord();
    if (this.#acked === undefined || heard.seq > Math.max(this.#acked, this.#feed.read)) return this.#jump(heard);
    const isBehind = heard.seq < this.#acked;
    this.#acked = heard.seq;
    if (isBehind || heard.again) return this.#rewind();
    this.#unacked.drop(heard.seq);
    this.#feed.sendIn(0);
  }

  /**
   * The sink has taken a message of another journal after it had taken some of this one. That was held back: by its order
   * of arrival it counts as the later one. So all of this journal is sent again, under a name that comes after it; once
   * for each journal, because anybody at the broker can invent one. What the broker has retained comes before.
   */
  #hearOther({ stream, seq }: Acknowledgement): void {
    const [journal = ''] = stream.split('.');
    const isKnown = this.#parts.journal.stream === journal || this.#others.has(journal);
    if (isKnown || seq === 0 || this.#acked === undefined || this.#others.size >= leftMax) return;
    this.#others.add(journal);
    this.#leaveStream('the sink has taken a message of another journal of this terminal: this one is sent again');
  }

  /** The sink has more than this process has sent: it was sent by an earlier one, if it is this journal's. */
  #jump({ seq }: Acknowledgement): void {
    const isSentHere = seq <= this.#feed.sent;
    this.#acked = seq;
    this.#rewind(isSentHere ? seq : this.#asking);
    const turn = this.#feed.signal;
    if (seq === 0 || !turn) return;
    // If this journal has sent it, it contains the entry at that place, or a later change of it.
    this.#parts.journal.changes(seq - 1).then(
      ({ until }) => until < seq && !turn.aborted && this.#leaveStream(olderCopy(seq)),
      (error: Error) => this.#parts.onFailure(error),
    );
  }

  /**
   * The sink has entries that this journal never wrote: the journal is an older copy, and will assign their numbers to
   * other entries. Or another journal counts as the later one. So all of it is sent again under another name, which the
   * retained acknowledgement stores. `why`: for the log.
   */
  #leaveStream(why: string): void {
    const { journal, random, onFailure } = this.#parts;
    // The oldest name is the first.
    for (const oldest of this.#left) if (this.#left.size >= leftMax) this.#left.delete(oldest);
    this.#left.add(this.#stream);
    this.#stream = `${journal.stream}.${Buffer.from(random.bytes(4)).toString('hex')}`;
    this.#acked = 0;
    this.#rewind();
    // Any client of the broker can cause this repeatedly.
    if (this.#isReported) return;
    this.#isReported = true;
    onFailure(new Error(why));
  }

  #sink(): FeedSink<DescribedChange> {
    const [link, unacked] = [this.#parts.link, this.#unacked];
    return {
      /** Until a sink answers, one message is sent repeatedly. */
      get window() {
        return unacked.isSilent ? 1 : windowMax;
      },
      send: ({ after, change, described }) => {
        const payload = bookMessage(this.#stream, after, change, described);
        const fits = link.fits('books', { payload, qos: 1 });
        const acknowledged = fits ? unacked.add(change.seq) : undefined;
        // The broker's acknowledgement proves nothing: only the sink's acknowledgement counts, and its silence.
        link.publish('books', { payload, qos: 1 }).catch(() => undefined);
        return acknowledged ?? { kind: 'retryLater', afterMs: tooLongMs };
      },
    };
  }
}

function olderCopy(seq: number): string {
  return `the sink has ${seq} of this journal, which ends before: it is an older copy, and is sent again`;
}

/** A change for the sink: the transaction or the settlement as it is now. */
interface DescribedChange {
  readonly record: unknown;
  /** The present state of the transactions that it refers to: a void changes its sale. */
  readonly originals?: readonly { readonly id: string; readonly record: unknown }[];
}

/** `after`: the place of the previous message. A sink that has all entries up to there lacks none after this one. */
function bookMessage(stream: string, after: number, change: Change, described: DescribedChange): Uint8Array {
  const { seq, kind, id, at, batch } = change;
  const { record, originals = [] } = described;
  const more = { ...(at === undefined ? {} : { at }), ...(batch === undefined ? {} : { batch }) };
  const message = { stream, seq, after, kind, id, version: seq, ...more, record };
  return Buffer.from(JSON.stringify(originals.length === 0 ? message : { ...message, originals }));
}
