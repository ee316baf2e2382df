import type { LineReport } from '../../base/domain/line-security.ts';
import type { ContradictedAmount } from '../../base/domain/contradicted-amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalEvent } from '../events/event.ts';
import type { HostSites, LinkState } from '../contracts/acquirer-host.ts';
import type { Pending } from '../contracts/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { BatchSettler } from './batch-settler.ts';

/**
 * The counterparty of a payment method: the payments that it accepts, the delivery of queued messages, and the
 * settlement of batches.
 */
export interface Acquirer {
  readonly profile: AcquirerProfile;
  /** Absent for an acquirer without a host. */
  readonly address?: AcquirerAddress;
  readonly settler: BatchSettler;
  /**
   * Builds the queued message for this acquirer. Nothing is sent before the returned attempt is called. Throws
   * UnsendableOrder if no message can be built from the record.
   */
  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt;
  /**
   * Whether an attempt for the queued reversal of this record only enquires, until the acquirer itself has journalled
   * that it asks for more (`isEnquiry` in events/event.ts). Absent: no.
   */
  enquiresFirst?(record: TransactionRecord): boolean;
  /**
   * Runs the operator's decision about a transaction for an acquirer that may find out the outcome itself, so that the
   * two never run at the same time. `write` journals the decision; `isVerified`: as in `setAsideEvents`. Resolves to
   * false if the outcome is known and journalled, which overrides the operator's decision. Rejects with JournalError.
   */
  decide?(id: TerminalTransactionId, write: DecisionWrite): Promise<boolean>;
  /** Continues after a start with the open work of the journal. */
  resume?(): void;
  /** Closes its connections. Requests in flight end without an answer. */
  close(): Promise<void>;
}

export type DecisionWrite = (isVerified: boolean) => Promise<void>;

/** The identifiers by which the host knows this terminal, and the state of the link to it. */
export interface AcquirerAddress {
  /** Merchant identifier. */
  readonly mid: string;
  /** Terminal identifier. */
  readonly tid: string;
  readonly link: LinkState;
  /** Absent if the host does not report it. */
  readonly line?: LineReport;
  /** Absent for a host with one address. */
  readonly sites?: Pick<HostSites, 'report'>;
}

/**
 * One attempt to deliver. `attempt` counts from 1; attempts after the first are marked as repeats. Rejects with
 * UnsendableOrder if no attempt can succeed.
 */
export type SendAttempt = (attempt: number) => Promise<SendResult>;

export type SendResult =
  /** The acquirer has answered for the message; `events` conclude it. */
  | { readonly kind: 'through'; readonly news: QueueNews; readonly events: readonly JournalEvent[] }
  /**
   * The message must be sent again. `afterMs`: an answer is conclusive only after this delay. `refusedWith`: the host's
   * code, if the host answered but did not accept the message. `otherAmount`: the amounts, if the host answered with
   * another one. `isOpen`: the host has answered, and its answer leaves the outcome open. Such a message may never be
   * answered, so nothing waits for it.
   */
  | {
      readonly kind: 'again';
      readonly isOpen?: true;
      readonly afterMs?: number;
      readonly refusedWith?: string;
      readonly otherAmount?: ContradictedAmount;
    };

export type QueueNews = 'reversal acknowledged' | 'advice acknowledged' | 'advice rejected';
