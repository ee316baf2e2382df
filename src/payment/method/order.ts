import type { Refusal } from '../../base/domain/reason.ts';
import type { Amount } from '../../base/domain/amount.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Scene, ScreenHint } from '../contracts/screen.ts';
import type { Collectable } from '../transaction/collectable.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { ReferenceRules } from '../transaction/reference.ts';
import type { Entry } from '../records/batch-load.ts';

/** A request that has been checked and journalled, ready to be authorized. */
export interface Order {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  /** The total. */
  readonly amount: Amount;
  /** Within the total. */
  readonly tipMinor: bigint;
  /** How long the customer may take to present, milliseconds. */
  readonly collectMs: number;
  /** Within the total: cash for an EPS customer. */
  readonly cashbackMinor?: bigint | undefined;
  /** Offline sale: the approval code that the issuer gave by telephone. */
  readonly approvalCode?: string | undefined;
  /** The transaction that this order refers to, as it stands now. */
  readonly original?: Original | undefined;
  /** The terminal prints the receipt, so it is queued with the approval. */
  readonly printsReceipt: boolean;
  /** The acquirers that may take the order, in the order in which they are asked. */
  readonly takers: readonly AcquirerProfile[];
  /** Those that would take it, and take no new payments now. */
  readonly held?: readonly AcquirerProfile[] | undefined;
  /** Whether the request allows a partial approval. */
  readonly allowsPart?: true | undefined;
  /** The merchant that is paid; undefined on a terminal without any. */
  readonly merchantId?: string | undefined;
  /** How the payment is collected. Without a mode, the original alone is used. */
  readonly collects: Collectable;
}

/** An earlier transaction, and its total after all its refunds, voids and adjustments. */
export interface Original {
  readonly record: TransactionRecord;
  readonly total: Amount;
}

/** The store-and-forward queue, as a payment uses it. */
export interface Queue {
  /** Sends what is queued for this acquirer. Resolves to false if something is left. Never rejects. */
  flush(acquirerId: AcquirerId): Promise<boolean>;
  /** As `flush`, but limited in time because a customer is waiting: false also if it takes too long. */
  clear(acquirerId: AcquirerId): Promise<boolean>;
  /**
   * Nothing is being sent or queued for this acquirer. This does not ask the journal, which may have waiting messages.
   */
  rests(acquirerId: AcquirerId): boolean;
  /**
   * True if nothing has been queued, or is being queued, since `clear`; otherwise as `clear`. Called between the intent
   * and its message, because a late approval may be queued while the intent is written.
   */
  isStillClear(acquirerId: AcquirerId): Promise<boolean>;
  /**
   * Runs `write`, which queues a message for this acquirer, then flushes. From this call on, `isStillClear` waits for
   * it.
   */
  enqueue<T>(acquirerId: AcquirerId, write: () => Promise<T>): Promise<T>;
}

/** The remaining capacity of an acquirer's open batch. */
export interface BatchRoom {
  /** Why the batch can't take this entry now; undefined if it can. */
  fault(id: AcquirerId, entry: Entry): Promise<Refusal | undefined>;
  /** Counts an entry that is about to be journalled. */
  take(id: AcquirerId, entry: Entry): void;
}

/** The parts of the terminal that every payment method needs. */
export interface SessionParts {
  readonly journal: Journal;
  readonly forwarder: Queue;
  readonly room: BatchRoom;
  readonly profiles: readonly AcquirerProfile[];
  readonly rules: ReferenceRules;
  readonly clock: Clock;
  readonly timeouts: CollectTimeouts;
  /** Shows the customer the progress. */
  readonly progress: Progress;
  readonly onFailure?: (error: unknown) => void;
}

/** Milliseconds. */
export interface CollectTimeouts {
  readonly pinMs: number;
}

/** `scene`: set where the scene differs from that of a payment in process. */
export type Progress = (hint: ScreenHint | undefined, scene?: Scene) => void;
