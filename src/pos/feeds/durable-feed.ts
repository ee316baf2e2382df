import type { Clock, Random } from '../../base/ports/clock.ts';
import type { Change, ChangeSlice } from '../../payment/contracts/changes.ts';
import type { FeedAnswer, FeedCursor, FeedEntry, FeedSink } from './feed-sink.ts';
import { IdleWait } from './idle-wait.ts';

/** Delay from a write to its reading: the answer of a payment comes first. */
const quietMs = 500;
/** Maximum delay until changes without an event, and entries that could not be read, are found. */
const lookMs = 15_000;
/** The pause after a failure, at first and after many. */
const pauseMs = 1_000;
const pauseMaxMs = 600_000;

export interface FeedParts<Described> {
  readonly journal: {
    readonly stream: string;
    changes(after: number): Promise<ChangeSlice>;
  };
  /** Undefined if there is nothing to send about it. */
  readonly describe: (change: Change) => Promise<Described | undefined>;
  readonly sink: FeedSink<Described>;
  /** Where the feed continues after a restart; without one, the caller of `start` decides. */
  readonly cursor?: FeedCursor;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFailure: (error: Error) => void;
}

interface UnderWay {
  readonly seq: number;
  readonly after: number;
  readonly withdrawn: AbortController;
  isAnswered: boolean;
}

/**
 * Sends a sink every transaction and settlement once it has ended, and again when it has changed, in the order of the
 * changes. The journal is its queue: only the sink's position is stored in addition. It reads while no payment runs,
 * and keeps only the entries in flight in memory. An entry may be sent more than once, and none is omitted.
 */
export class DurableFeed<Described extends object> {
  readonly #parts: FeedParts<Described>;
  readonly #idleWait: IdleWait;
  /** How far the journal was read, and the last entry's place. */
  #place = { read: 0, sent: 0 };
  /** Oldest first. */
  #underWay: UnderWay[] = [];
  /** Ends the work that was begun from another place. */
  #turn: AbortController | undefined;
  #timer: unknown;
  #dueMs = Number.POSITIVE_INFINITY;
  #sending: Promise<void> | undefined;
  /** Nothing is sent before this time, because the sink or the connection to it has failed. */
  #isPausing = false;
  #failures = 0;
  #refused = 0;
  #saving: Promise<void> | undefined;
  /** The position that the sink has accepted, and the one that the cursor has stored. */
  #accepted: number | undefined;
  #saved: number | undefined;
  #isClosed = false;

  constructor(parts: FeedParts<Described>) {
    this.#parts = parts;
    this.#idleWait = new IdleWait(parts.isIdle, parts.clock);
  }

  /** How far the journal was read. */
  get read(): number {
    return this.#place.read;
  }

  /** The place of the last entry that was sent. */
  get sent(): number {
    return this.#place.sent;
  }

  /** Aborted by `stop`, `rewind` and `start`; undefined while nothing is sent. */
  get signal(): AbortSignal | undefined {
    return this.#turn?.signal;
  }

  /** The sink has all entries up to here; undefined while that is unknown. */
  get place(): number | undefined {
    const isThrough = this.#turn !== undefined && this.#underWay.length === 0;
    return this.#accepted === undefined ? undefined : Math.max(this.#accepted, isThrough ? this.#place.read : 0);
  }

  get state(): { readonly underway: number; readonly refused: number; readonly failures: number } {
    return { underway: this.#underWay.length, refused: this.#refused, failures: this.#failures };
  }

  /** Begins at the cursor. If the cursor can't be read, the sink gets all entries again. */
  async open(): Promise<void> {
    const { cursor, journal, onFailure } = this.#parts;
    const saved = await cursor?.load().catch((error: Error) => {
      onFailure(error);
      return undefined;
    });
    if (this.#isClosed) return;
    this.#accepted = this.#saved = saved?.stream === journal.stream ? saved.seq : 0;
    this.start(this.#accepted);
  }

  /** Notes a write, which is read a moment later. It costs the payment only this call. */
  notice(): void {
    this.sendIn(quietMs);
  }

  /** Sends all entries after a place again. */
  async replay(from: number): Promise<void> {
    this.stop();
    this.#accepted = from;
    await this.#save();
    if (!this.#isClosed) this.start(from);
  }

  /** Sends the entries after a place, `inMs` from now. */
  start(from: number, inMs = 0): void {
    this.stop();
    this.#place = { read: from, sent: from };
    this.#turn = new AbortController();
    this.sendIn(inMs);
  }

  /** Withdraws the entries in flight, and sends nothing more. */
  stop(): void {
    this.#turn?.abort();
    this.#turn = undefined;
    this.#withdraw(0);
    this.#isPausing = false;
    this.#parts.clock.clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Reads further entries to send, unless the sink has requested a pause. */
  sendIn(ms: number): void {
    const { clock } = this.#parts;
    if (!this.#turn || this.#isPausing || this.#dueMs <= ms) return;
    clock.clearTimeout(this.#timer);
    this.#dueMs = ms;
    this.#timer = clock.setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#isPausing = false;
      const before = this.#sending ?? Promise.resolve();
      const sending = before
        .then(() => this.#send())
        .finally(() => this.#sending === sending && (this.#sending = undefined));
      this.#sending = sending;
    }, ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.stop();
    await this.#sending;
    await this.#saving;
  }

  async #send(): Promise<void> {
    const turn = this.#turn?.signal;
    if (!turn) return;
    try {
      while (!this.#isFull && (await this.#sendSlice(turn)));
    } catch (error) {
      this.#parts.onFailure(error as Error);
    }
    if (!turn.aborted) this.sendIn(lookMs);
  }

  get #isFull(): boolean {
    return this.#underWay.length >= (this.#parts.sink.window ?? 1);
  }

  /** Whether there is more to read. */
  async #sendSlice(turn: AbortSignal): Promise<boolean> {
    const { journal, describe } = this.#parts;
    await this.#idleWait.begin(turn);
    const from = this.#place;
    const { changes, until, hasMore } = await journal.changes(from.read);
    // Entries that were withdrawn meanwhile are read again.
    if (this.#place !== from) return false;
    for (const change of changes) {
      if (turn.aborted || this.#isFull || this.#isPausing) return false;
      const before = this.#place;
      await this.#idleWait.begin(turn);
      const described = await describe(change);
      if (turn.aborted || this.#place !== before) return false;
      if (described && !this.#hand({ seq: change.seq, after: before.sent, change, described })) return false;
      this.#place = { read: change.seq, sent: described ? change.seq : before.sent };
    }
    if (turn.aborted) return false;
    this.#place = { ...this.#place, read: until };
    return hasMore;
  }

  /**
   * False if the sink does not accept it now. No later entry is sent before it, because the sink could not detect the
   * gap.
   */
  #hand(entry: FeedEntry<Described>): boolean {
    const { seq, after } = entry;
    const one = { seq, after, withdrawn: new AbortController(), isAnswered: false };
    const answer = this.#ask(entry, one.withdrawn.signal);
    if (answer instanceof Promise) {
      this.#underWay.push(one);
      const retry = (): FeedAnswer => ({ kind: 'retryLater' });
      void answer.catch(retry).then((each) => one.withdrawn.signal.aborted || this.#hear(one, each));
      return true;
    }
    if (answer.kind === 'retryLater') {
      this.#pause(answer.afterMs);
      return false;
    }
    this.#underWay.push(one);
    this.#hear(one, answer);
    return true;
  }

  #ask(entry: FeedEntry<Described>, signal: AbortSignal): FeedAnswer | Promise<FeedAnswer> {
    try {
      return this.#parts.sink.send(entry, signal);
    } catch {
      return { kind: 'retryLater' };
    }
  }

  #hear(one: UnderWay, answer: FeedAnswer): void {
    if (answer.kind === 'retryLater') {
      this.#withdraw(this.#underWay.indexOf(one));
      this.#place = { read: one.seq - 1, sent: one.after };
      this.#pause(answer.afterMs);
      return;
    }
    if (answer.kind === 'refused') {
      this.#refused += 1;
      this.#parts.onFailure(new Error(`the sink refuses entry ${one.seq}: ${answer.reason}`));
    }
    this.#failures = 0;
    one.isAnswered = true;
    const open = this.#underWay.findIndex(({ isAnswered }) => !isAnswered);
    const answered = this.#underWay.splice(0, open < 0 ? this.#underWay.length : open);
    this.#accepted = answered.at(-1)?.seq ?? this.#accepted;
    void this.#save();
    this.sendIn(0);
  }

  #withdraw(from: number): void {
    for (const { withdrawn } of this.#underWay.splice(from)) withdrawn.abort();
  }

  /** A random share, so that terminals do not return to their sink at the same moment. */
  #pause(afterMs?: number): void {
    const [chance = 0] = this.#parts.random.bytes(1);
    const most = Math.min(pauseMs * 2 ** Math.min(this.#failures++, 16), pauseMaxMs);
    this.#isPausing = false;
    this.#parts.clock.clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.sendIn(afterMs ?? most * (1 + chance / 256));
    this.#isPausing = this.#turn !== undefined;
  }

  /**
   * At most one save is in progress; later places are saved by the next one. If a place is not saved, entries are
   * repeated.
   */
  #save(): Promise<void> {
    const { cursor, journal, onFailure } = this.#parts;
    if (!cursor || this.#accepted === this.#saved) return Promise.resolve();
    this.#saving ??= (async () => {
      while (this.#accepted !== undefined && this.#accepted !== this.#saved) {
        const seq = this.#accepted;
        await cursor.save({ stream: journal.stream, seq });
        this.#saved = seq;
      }
    })()
      .catch((error: Error) => onFailure(error))
      .finally(() => (this.#saving = undefined));
    return this.#saving;
  }
}
