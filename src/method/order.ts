import type { Amount } from '../domain/amount.ts';
import type { TransactionKind } from '../domain/capability.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Scene, ScreenHint } from '../ports/screen.ts';
import type { Collectable } from '../transaction/plan.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { ReferenceRules } from '../transaction/reference.ts';
import type { Entry } from '../records/batch-load.ts';

/** What is to be authorized: a request that has been checked and written down. */
export interface Order {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  /** The total. */
  readonly amount: Amount;
  /** Within the total. */
  readonly tipMinor: bigint;
  /** Within the total: cash for an EPS customer. */
  readonly cashbackMinor?: bigint | undefined;
  /** What the issuer said on the phone: offline sale. */
  readonly approvalCode?: string | undefined;
  /** What it refers to, as it stands now. */
  readonly original?: Original | undefined;
  /** The terminal prints: a receipt is queued with the approval. */
  readonly printsReceipt: boolean;
  /** Who may take it, in the order in which they are asked. */
  readonly takers: readonly AcquirerProfile[];
  /** How it is collected; with no mode it goes by its original alone. */
  readonly collects: Collectable;
}

/** An earlier transaction, and its total after all that came of it. */
export interface Original {
  readonly record: TransactionRecord;
  readonly total: Amount;
}

/** What waits for the hosts, as a payment sees it. */
export interface Queue {
  /** Sends what is queued for this acquirer. False where something is left. Never rejects. */
  flush(acquirerId: AcquirerId): Promise<boolean>;
  /** As `flush`, for a customer who waits: false also where it takes too long. */
  clear(acquirerId: AcquirerId): Promise<boolean>;
}

/** What the open batch of an acquirer can still take. */
export interface BatchRoom {
  /** Why it takes no more of this now; nothing where it does. */
  fault(id: AcquirerId, entry: Entry): Promise<string | undefined>;
  /** It is about to be written: it is counted from now on. */
  take(id: AcquirerId, entry: Entry): void;
}

/** What a payment needs of the terminal, whatever it is paid with. */
export interface SessionParts {
  readonly journal: Journal;
  readonly forwarder: Queue;
  readonly room: BatchRoom;
  readonly profiles: readonly AcquirerProfile[];
  readonly rules: ReferenceRules;
  readonly clock: Clock;
  readonly timeouts: CollectTimeouts;
  /** Tells the customer what is going on meanwhile. */
  readonly progress: Progress;
  readonly onFailure?: (error: unknown) => void;
}

/** Milliseconds. */
export interface CollectTimeouts {
  readonly collectMs: number;
  readonly pinMs: number;
}

/** `scene`: where it is another than that of a payment that is being processed. */
export type Progress = (hint: ScreenHint | undefined, scene?: Scene) => void;
