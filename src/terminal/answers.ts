import type { JournalledSettlement } from '../events/settlement.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { presentStatus } from '../records/standing.ts';
import type { ReferenceRefusal } from '../transaction/reference.ts';
import type { Running, RunningState } from './request.ts';

/** Whose transaction runs. */
export interface Owner {
  readonly posId: string;
  readonly messageId: string;
}

/** An answer that says why there is none. */
export type NotNow =
  | { readonly kind: 'busy'; readonly owner: Owner }
  | { readonly kind: 'otherRequest' }
  | { readonly kind: 'notReady'; readonly reason: string }
  /** The journal failed: why, in words. `started`: the outcome may be in it all the same, an enquiry will tell. */
  | { readonly kind: 'journalFailed'; readonly reason: string; readonly started: boolean };

export type PayAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal }
  | NotNow;

export type SettleAnswer = { readonly kind: 'ended'; readonly settlement: JournalledSettlement } | NotNow;

/** `since`: the journal is so young, or was put back so lately, that it may be asked for what was before. ISO 8601. */
export interface NotFound {
  readonly kind: 'notFound';
  readonly since?: string;
}

export type EnquiryAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord; readonly status: PresentStatus }
  | ({ readonly kind: 'running' } & Running)
  | NotFound;

export type PresentStatus = ReturnType<typeof presentStatus>;

export type CancelAnswer =
  | { readonly kind: 'cancelled'; readonly record: TransactionRecord }
  /** It had ended, or ended otherwise before the cancel could reach it. */
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'tooLate'; readonly state: RunningState }
  | NotFound;
