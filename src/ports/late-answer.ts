import type { AcquirerId } from '../domain/identifiers.ts';
import type {
  AdviceOrder,
  AdviceOutcome,
  ReversalOrder,
  ReversalOutcome,
  SettlementOrder,
  SettlementOutcome,
} from './acquirer-host.ts';

/**
 * An answer that no request waits for any more. Nothing in it comes from a card. Whose it is only the journal can say, by its trace
 * number; what it then says of that one, the host's dialect.
 */
export interface LateAnswer {
  readonly acquirerId: AcquirerId;
  readonly mti: string;
  /** Fields 11, 37 and 39, where the message has them. */
  readonly stan?: string | undefined;
  readonly rrn?: string | undefined;
  readonly responseCode?: string | undefined;
  /** What is told by it is told to this terminal: otherwise the others below say nothing. */
  readonly isOurs: boolean;
  /** The reversal of that number was in flight when this came: whatever it is answered, it is answered later. */
  readonly reversing: boolean;
  /** It approves some request. */
  readonly isApproval: boolean;
  /** It approves, be it another amount, the request that this order would reverse. */
  approves(order: ReversalOrder): boolean;
  /** What it says of this advice, and of this reversal. */
  adviceOutcome(order: AdviceOrder): AdviceOutcome;
  reversalOutcome(order: ReversalOrder): ReversalOutcome;
  /** What it says of this settlement, or its trailer. */
  settlementOutcome(order: SettlementOrder): SettlementOutcome;
}
