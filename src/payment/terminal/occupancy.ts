import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Owner } from './answers.ts';
import { isSame, ownerOf, type CurrentPayment, type CurrentSettlement } from './current-transaction.ts';
import type { Running } from './request.ts';

/** Tills repeat their latest requests. */
const rememberedMost = 2_000;

/** What runs on the terminal: at most one payment, and at most one settlement beside it. */
export class Occupancy {
  #payment: CurrentPayment | undefined;
  #settlement: CurrentSettlement | undefined;
  /** Identities that are taken, as far as they are remembered, the latest last. */
  readonly #taken = new Set<string>();
  #isRecalling = false;
  /** The terminal is stopping: nothing new begins. */
  isClosing = false;

  get payment(): CurrentPayment | undefined {
    return this.#payment;
  }

  set payment(payment: CurrentPayment | undefined) {
    this.#payment = payment;
    if (payment) this.#remember(payment.request);
  }

  get settlement(): CurrentSettlement | undefined {
    return this.#settlement;
  }

  set settlement(settlement: CurrentSettlement | undefined) {
    this.#settlement = settlement;
    if (settlement) this.#remember(settlement.request);
  }

  /**
   * `latest`: the identities that were taken last before this start, the latest last. Tills repeat their requests through a restart. Until
   * they are known, and for good if it rejects, every identity may be taken.
   */
  recall(latest: Promise<readonly Owner[]>): void {
    this.#isRecalling = true;
    latest.then(
      (taken) => {
        this.#isRecalling = false;
        for (const identity of taken) this.#remember(identity);
      },
      () => undefined,
    );
  }

  /** Whether this may be the identity of an earlier request, whose repeat must start nothing. */
  mayBeTaken(identity: Owner): boolean {
    return this.#isRecalling || this.#taken.has(keyOf(identity));
  }

  /** What runs now; the payment if a settlement runs beside it. */
  get running(): (Owner & Running) | undefined {
    if (this.payment) return { ...ownerOf(this.payment), ...this.payment.run.running };
    return this.settlement && { ...ownerOf(this.settlement), state: 'settling' };
  }

  get transaction(): TerminalTransactionId | undefined {
    return this.payment?.run.id;
  }

  paymentOf(identity: Owner): CurrentPayment | undefined {
    return this.payment && isSame(this.payment, identity) ? this.payment : undefined;
  }

  settlementOf(identity: Owner): CurrentSettlement | undefined {
    return this.settlement && isSame(this.settlement, identity) ? this.settlement : undefined;
  }

  #remember(identity: Owner): void {
    this.#taken.add(keyOf(identity));
    const [oldest] = this.#taken;
    if (oldest !== undefined && this.#taken.size > rememberedMost) this.#taken.delete(oldest);
  }
}

function keyOf({ posId, messageId }: Owner): string {
  return JSON.stringify([posId, messageId]);
}
