import { cardBrands } from '../../base/domain/payment-scheme.ts';
import { takesBrands } from '../../payment/method/methods.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
import { asksPin } from './authorize.ts';
import type { CardParts } from './parts.ts';
import { CardSession, type CardTerms } from './session.ts';

/** The devices and acquirers of card payments. */
export type CardMethodParts = Pick<CardParts, 'reader' | 'cardAcquirers'>;

/** The step in which a card is presented. Card and EPS share reader and PIN pad. */
export function cardStep(reader: CardParts['reader']) {
  return {
    step: 'presentingCard',
    scene: 'presentCard',
    device: 'card reader',
    preferredAs: 'CARD',
    mustBeReady: true,
    armsAhead: true,
    notReady: () => (reader.state === 'ready' ? undefined : absent),
    questions: {
      account: { step: 'choosingAccount', scene: 'chooseAccount' },
      pin: { step: 'enteringPin', scene: 'enterPin', device: 'PIN pad' },
    },
  } as const satisfies Partial<MethodMode>;
}

const terms: CardTerms = {
  isOpenToOptions: true,
  interfaces: (all, isChipWanted) => (isChipWanted ? all.filter((each) => each !== 'contactless') : all),
  asks: (order, card, parts) => (parts.reader.pinPad !== undefined && asksPin(order, card, parts) ? 'pin' : undefined),
};

/** Cards of the international schemes and of UnionPay. */
export function cardMethod({ reader, cardAcquirers }: CardMethodParts): PaymentMethod {
  const mode: MethodMode = {
    ...cardStep(reader),
    mode: 'CARD',
    isDefault: true,
    isEquipped: true,
    ...takesBrands(cardBrands),
    // Only EPS offers cashback.
    fits: ({ cashbackMinor }) => cashbackMinor === undefined,
  };
  return {
    name: 'card',
    modes: [mode],
    refundMode: 'CARD',
    owns: (intent) => 'card' in intent && intent.card.brand !== 'EPS',
    begin: (order, parts) => new CardSession(order, { ...parts, reader, cardAcquirers }, terms),
  };
}

const absent = { reason: 'cardReaderAbsent', message: 'the card reader is not connected' } as const;
