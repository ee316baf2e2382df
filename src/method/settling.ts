import type { AcquirerId } from '../domain/identifiers.ts';
import type { SettlingBatch } from '../events/settling-batch.ts';
import type { Batch } from '../records/batch.ts';
import type { UnwrittenAnswers } from './card/unwritten-answers.ts';

/** Whoever a batch is settled with, and how that ended. Nothing is cleared before the other side agrees. */
export interface Settling {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  /** It is asked for an empty batch too: its books may have what this terminal has not. */
  readonly hearsEmpty: boolean;
  /** What is unknown there may never be known: it is in no batch before, and holds up nobody. */
  readonly mayWait: boolean;
  /** It settles what it has at that moment, and not by a batch's number: no payment may run meanwhile. */
  readonly bySight: boolean;
  /** Why it can't be asked for this batch at all. */
  readonly fault?: (batch: Batch) => string | undefined;
  /** Of a batch that is closed to new entries: the same is asked again until it is answered. */
  settle(closed: SettlingBatch, read: () => Promise<Batch>): Promise<Settlement>;
}

/** What the terminal does for a settlement. */
export interface Counter {
  /** Runs `work` while no payment runs, and none begins before it is over. Nothing where one takes too long. */
  readonly lull: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** No further message is begun. */
  readonly isStopping: () => boolean;
  readonly unwritten: UnwrittenAnswers;
}

export type Settlement =
  | { readonly result: 'BALANCED'; readonly reason?: string }
  /** The other side took ours, and its books said otherwise: `reason` says what, where it is known. */
  | { readonly result: 'UPLOADED'; readonly reason?: string }
  /** `refused`: the other side has answered, and did not take it. `unsent`: it has heard nothing of this batch, ever. */
  | {
      readonly result: 'FAILED';
      readonly reason: string;
      readonly refused?: true;
      readonly rejectsOne?: true;
      readonly unsent?: boolean;
    };
