import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Owner } from './answers.ts';
import { isSame, ownerOf, type PaymentOccupant, type SettlementOccupant } from './occupant.ts';
import type { Running } from './request.ts';

/** Tills repeat their latest requests. */
const rememberedMost = 2_000;

/** What runs on the terminal: at most one payment, and at most one settlement beside it. */
export class Occupancy {
  #payment: PaymentOccupant | undefined;
  /** Identities of the payments that ran, the latest last. */
  readonly #had = new Set<string>();
  settlement: SettlementOccupant | undefined;
  /** The terminal is stopping: nothing new begins. */
  isClosing = false;

  get payment(): PaymentOccupant | undefined {
    return this.#payment;
  }

  set payment(payment: PaymentOccupant | undefined) {
    this.#payment = payment;
    if (!payment) return;
    this.#had.add(keyOf(payment.request));
    const [oldest] = this.#had;
    if (oldest !== undefined && this.#had.size > rememberedMost) this.#had.delete(oldest);
  }

  /** Whether a payment of this identity is known to have run: then this one is its repeat. */
  hadPayment(identity: Owner): boolean {
    return this.#had.has(keyOf(identity));
  }

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

function keyOf({ posId, messageId }: Owner): string {
  return JSON.stringify([posId, messageId]);
}
