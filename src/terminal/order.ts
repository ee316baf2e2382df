import type { Amount } from '../domain/amount.ts';
import type { TransactionKind } from '../domain/capability.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { Journal } from '../ports/journal.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import type { TransactionRecord } from '../transaction/record.ts';
import type { Forwarder } from './forwarder.ts';

/** What is to be authorized: a request that has been checked and written down. */
export interface Order {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  /** The total. */
  readonly amount: Amount;
  /** Within the total. */
  readonly tipMinor: bigint;
  readonly forcedAcquirer?: AcquirerId | undefined;
  /** What the issuer said on the phone: offline sale. */
  readonly approvalCode?: string | undefined;
  /** What it refers to, as it stands now. */
  readonly original?: { readonly record: TransactionRecord; readonly total: Amount } | undefined;
  /** The terminal prints: a receipt is queued with the approval. */
  readonly printsReceipt: boolean;
}

export interface AuthorizationParts {
  readonly journal: Journal;
  readonly forwarder: Forwarder;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly profiles: readonly AcquirerProfile[];
  readonly onFailure?: (error: unknown) => void;
}
