import type { JournalEvent } from '../events/event.ts';
import type { LinkState } from '../ports/acquirer-host.ts';
import type { Pending } from '../ports/journal.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { AcquirerProfile } from '../transaction/decide.ts';
import type { BatchSettler } from './batch-settler.ts';

/** Whoever a payment method settles with: what it takes, how a queued message is brought to it, and how a batch is settled with it. */
export interface Acquirer {
  readonly profile: AcquirerProfile;
  /** None where it has no host. */
  readonly address?: AcquirerAddress;
  readonly settler: BatchSettler;
  /**
   * Builds the message that is queued for it. Nothing leaves before the attempt is called. Throws UnsendableOrder where no message can be
   * made of the record.
   */
  prepare(message: Pending['message'], record: TransactionRecord): SendAttempt;
  /** Ends its connections. What is under way comes to an end without an answer. */
  close(): Promise<void>;
}

/** How its host knows this terminal, and the state of the link to it. */
export interface AcquirerAddress {
  /** Merchant identifier. */
  readonly mid: string;
  /** Terminal identifier. */
  readonly tid: string;
  readonly link: LinkState;
}

/** One try. `attempt` counts from 1, each later one is marked as a repeat. Rejects with UnsendableOrder where no try can succeed. */
export type SendAttempt = (attempt: number) => Promise<SendResult>;

export type SendResult =
  /** The acquirer has it: `events` conclude it. */
  | { readonly kind: 'through'; readonly news: QueueNews; readonly events: readonly JournalEvent[] }
  /**
   * It must be tried again. `afterMs`: where an answer counts only so much later. `refusedWith`: the host's code, where it answered and
   * did not take it.
   */
  | { readonly kind: 'again'; readonly afterMs?: number; readonly refusedWith?: string };

export type QueueNews = 'reversal acknowledged' | 'advice acknowledged' | 'advice rejected';
