import { takesBrands } from '../brands.ts';
import { type CardMeans, cardStep } from '../card/method.ts';
import { CardSession, type CardTerms } from '../card/session.ts';
import type { MethodMode, PaymentMethod } from '../payment-method.ts';

/**
 * By magstripe only: how a bank card's chip would tell EPS is not public (fixtures/README.md). The account is chosen
 * before the PIN.
 */
const terms: CardTerms = {
  interfaces: (all) => all.filter((each) => each === 'magstripe'),
  asks: () => 'account',
};

/** EPS: a bank card with an account and a PIN. Part of the amount may be cash for the customer. */
export function epsMethod({ reader, cardAcquirers }: CardMeans): PaymentMethod {
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
    begin: (order, parts) => new CardSession(order, { ...parts, reader, cardAcquirers }, terms),
  };
}
