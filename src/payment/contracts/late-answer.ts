import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type {
  AdviceOrder,
  AdviceOutcome,
  ReversalOrder,
  ReversalOutcome,
  SettlementOrder,
  SettlementOutcome,
} from './acquirer-host.ts';

/**
 * An answer that no request waits for any more. It contains no card data. Only the journal knows its transaction, by
 * the trace number; the host's dialect interprets it.
 */
export interface LateAnswer {
  readonly acquirerId: AcquirerId;
  /** The site that has sent it, if the sites do not share their books. */
  readonly site?: string | undefined;
  readonly mti: string;
  /** Fields 11, 37 (of the answer to a request or an advice) and 39, where the message has them. */
  readonly stan?: string | undefined;
  readonly rrn?: string | undefined;
  readonly responseCode?: string | undefined;
  /** Whether it names this terminal. If not, the fields below have no meaning. */
  readonly isOurs: boolean;
  /** The reversal of that number was in flight when this answer came, so the reversal's answer comes later. */
  readonly reversing: boolean;
  /** Whether it approves some request. */
  readonly isApproval: boolean;
  /** Whether it approves the request that this order would reverse, whatever the amount. */
  approves(order: ReversalOrder): boolean;
  /** Its meaning for this advice, and for this reversal. */
  adviceOutcome(order: AdviceOrder): AdviceOutcome;
  reversalOutcome(order: ReversalOrder): ReversalOutcome;
  /** Its meaning for this settlement or its trailer. */
  settlementOutcome(order: SettlementOrder): SettlementOutcome;
}
