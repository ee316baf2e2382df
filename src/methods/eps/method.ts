import { takesBrands } from '../../payment/method/methods.ts';
import { type CardMethodParts, cardStep } from '../card/method.ts';
import { CardSession, type CardTerms } from '../card/session.ts';
import type { CardParts } from '../card/parts.ts';
import type { CashParts } from '../cash/parts.ts';
import type { Order } from '../../payment/method/order.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';

/**
 * By magstripe only: how a bank card's chip would tell EPS is not public (fixtures/README.md). The account is chosen
 * before the PIN.
 */
const terms: CardTerms = {
  interfaces: (all) => all.filter((each) => each === 'magstripe'),
  asks: () => 'account',
};

type EpsParts = CardMethodParts & Pick<CashParts, 'openDrawer'>;

/** Opens the drawer once cash back is approved. EPS has no chip, so nothing comes after the host's approval. */
class EpsSession extends CardSession {
  readonly #order: Order;
  readonly #parts: CardParts & EpsParts;

  constructor(order: Order, parts: CardParts & EpsParts) {
    super(order, parts, terms);
    this.#order = order;
    this.#parts = parts;
  }

  override async authorize(): Promise<Authorization> {
    const authorization = await super.authorize();
    const { openDrawer, onFailure } = this.#parts;
    const isPaid = authorization.kind === 'concluded' && authorization.conclusion.result === 'SUCCESS';
    if (isPaid && this.#order.cashbackMinor !== undefined) {
      openDrawer?.().catch((error: unknown) => onFailure?.(error));
    }
    return authorization;
  }
}

/** EPS: a bank card with an account and a PIN. Part of the amount may be cash for the customer. */
export function epsMethod({ reader, cardAcquirers, openDrawer }: EpsParts): PaymentMethod {
  const mode: MethodMode = {
    ...cardStep(reader),
    mode: 'EPS',
    givesCash: true,
    isEquipped: reader.pinPad !== undefined,
    ...takesBrands(['EPS']),
    // No field of an EPS message has room for a tip.
    fits: ({ type, tipMinor }) => type === 'SALE' && tipMinor === undefined,
  };
  return {
    name: 'eps',
    modes: [mode],
    owns: (intent) => 'card' in intent && intent.card.brand === 'EPS',
    begin: (order, parts) => new EpsSession(order, { ...parts, reader, cardAcquirers, openDrawer }),
  };
}
