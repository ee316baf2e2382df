import type { OctopusCard } from '../../base/ports/octopus-reader.ts';
import { localDecline } from '../../payment/transaction/decide.ts';
import type { Authorization, Collecting } from '../../payment/transaction/machine.ts';
import { Arming, type MethodSession } from '../../payment/method/payment-method.ts';
import { endCollecting } from '../../payment/method/collecting.ts';
import type { Order } from '../../payment/method/order.ts';
import { authorizeOctopus } from './authorize.ts';
import type { OctopusParts } from './parts.ts';

/** One payment with an Octopus card. */
export class OctopusSession implements MethodSession {
  readonly #order: Order;
  readonly #parts: OctopusParts;
  readonly #arming = new Arming();
  #card: OctopusCard | undefined;

  constructor(order: Order, parts: OctopusParts) {
    this.#order = order;
    this.#parts = parts;
  }

  async collect(_mode: string, signal: AbortSignal): Promise<Collecting> {
    const outcome = await this.#arming.arm(this.#parts.octopus.poll(signal));
    switch (outcome.kind) {
      case 'card':
        this.#card = outcome.card;
        return { kind: 'collected' };
      case 'tryAgain':
        return { kind: 'again', hint: 'presentAgain' };
      case 'refused':
        return {
          kind: 'ended',
          conclusion: {
            ...localDecline('cardUnusable', `this Octopus card can't be used (code ${outcome.code})`),
            hostCode: String(outcome.code),
          },
        };
      case 'cancelled':
        return endCollecting({ kind: 'cancelled', by: 'customer' });
      default:
        return outcome satisfies never;
    }
  }

  async authorize(): Promise<Authorization> {
    if (!this.#card) throw new Error('no Octopus card was presented');
    return authorizeOctopus(this.#order, this.#card, this.#parts);
  }

  /** A deduction can't be reversed, and no transaction type of Octopus names an original. */
  async authorizeByReference(): Promise<Authorization> {
    throw new Error('no transaction can refer to an Octopus payment');
  }

  disarm(): Promise<void> {
    return this.#arming.disarm();
  }

  async forget(): Promise<void> {
    this.#card = undefined;
  }
}
