import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Owner } from './answers.ts';
import { isSame, ownerOf, type PaymentOccupant, type SettlementOccupant } from './occupant.ts';
import type { Running } from './request.ts';

/** What runs on the terminal: at most one payment, and at most one settlement beside it. */
export class Occupancy {
  payment: PaymentOccupant | undefined;
  settlement: SettlementOccupant | undefined;
  /** The terminal is stopping: nothing new begins. */
  isClosing = false;

  /** What runs now; the payment if a settlement runs beside it. */
  get running(): (Owner & Running) | undefined {
    if (this.payment) return { ...ownerOf(this.payment), ...this.payment.run.running };
    return this.settlement && { ...ownerOf(this.settlement), state: 'settling' };
  }

  get transaction(): TerminalTransactionId | undefined {
    return this.payment?.run.id;
  }

  paymentOf(identity: Owner): PaymentOccupant | undefined {
    return this.payment && isSame(this.payment, identity) ? this.payment : undefined;
  }

  settlementOf(identity: Owner): SettlementOccupant | undefined {
    return this.settlement && isSame(this.settlement, identity) ? this.settlement : undefined;
  }
}
