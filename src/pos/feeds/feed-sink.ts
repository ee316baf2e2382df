import type { Change } from '../../payment/contracts/changes.ts';

/** A transaction or a settlement that has ended or changed, as a sink gets it. */
export interface FeedEntry<Described> {
  /** Of one stream, grows from entry to entry. With `stream` it names the entry, also where the entry is repeated. */
  readonly seq: number;
  /** `seq` of the entry that was sent before: a sink that has that one has no gap. */
  readonly after: number;
  readonly change: Change;
  readonly described: Described;
}

/**
 * accepted: the sink has stored it. retryLater: it is sent again, with all that follow, at least `afterMs` later, or
 * after increasing pauses. refused: the sink will never accept it; it is reported and skipped.
 */
export type FeedAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'retryLater'; readonly afterMs?: number }
  | { readonly kind: 'refused'; readonly reason: string };

/** Where a feed sends its entries. */
export interface FeedSink<Described> {
  /** How many entries may be under way at one time; 1 if absent. With more, a sink must sort the entries by `seq`. */
  readonly window?: number;
  /** A rejection is a `retryLater`. The answer is ignored once the signal is aborted. */
  send(entry: FeedEntry<Described>, signal: AbortSignal): FeedAnswer | Promise<FeedAnswer>;
}

/** The position up to which a sink has accepted all entries, stored across restarts. */
export interface FeedCursor {
  /** Undefined before the first entry was accepted. */
  load(): Promise<FeedPlace | undefined>;
  save(place: FeedPlace): Promise<void>;
}

export interface FeedPlace {
  /** Identifies the journal that the places belong to: a new journal, or a restored copy, has another identity. */
  readonly stream: string;
  readonly seq: number;
}
