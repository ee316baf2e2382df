import type { JournalledSettlement } from '../events/settlement.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { Ended, Present } from '../records/present.ts';
import type { ReferenceRefusal } from '../transaction/reference.ts';
import type { Running, RunningState } from './request.ts';

/** The owner of the transaction that runs. */
export interface Owner {
  readonly posId: string;
  readonly messageId: string;
}

/** Answers with the reason why the request was not carried out. */
export type TerminalRefusal =
  | { readonly kind: 'busy'; readonly owner: Owner }
  | { readonly kind: 'otherRequest' }
  | ({ readonly kind: 'notReady' } & Refusal)
  | JournalFailed;

/** `reason`: as text. `started`: the outcome may still be in the journal, and an enquiry will show it. */
export interface JournalFailed {
  readonly kind: 'journalFailed';
  readonly reason: string;
  readonly started: boolean;
}

export const stopping: Refusal = { reason: 'terminalStopping', message: 'the terminal is stopping' };

/**
 * Nothing was begun: the journal was restored at `at`, and the request may be the repeat of a payment that is not in
 * it. `lastAt`: when the last event of the copy was written. ISO 8601.
 */
export interface Restored {
  readonly kind: 'restored';
  readonly at: string;
  readonly lastAt?: string;
}

export type PayAnswer =
  | ({ readonly kind: 'ended' } & Ended)
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal }
  | Restored
  | TerminalRefusal;

export type SettleAnswer = { readonly kind: 'ended'; readonly settlement: JournalledSettlement } | TerminalRefusal;

/**
 * `since`: set if the journal is so new, or was restored so recently, that the request may concern a time before. ISO
 * 8601.
 */
export interface NotFound {
  readonly kind: 'notFound';
  readonly since?: string;
}

export type EnquiryAnswer =
  | ({ readonly kind: 'ended'; readonly record: TransactionRecord } & Present)
  | ({ readonly kind: 'running' } & Running)
  | NotFound;

export type PresentStatus = Present['status'];

export type CancelAnswer =
  | { readonly kind: 'cancelled'; readonly record: TransactionRecord }
  /** The payment had ended, or ended otherwise before the cancel took effect. */
  | ({ readonly kind: 'ended' } & Ended)
  | { readonly kind: 'tooLate'; readonly state: RunningState }
  | JournalFailed
  | NotFound;
