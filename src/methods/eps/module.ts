import { cardAcquirersIn } from '../card/acquirer.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { epsMethod } from './method.ts';
import { type Amount, majorText } from '../../base/domain/amount.ts';
import { cardEntryModes } from '../../base/domain/payment-scheme.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { cardDetails } from '../card/description.ts';
import { type MethodDescription, type MethodDetails, noDetails } from '../../payment/method/description.ts';

/** A bank card with an account, perhaps with cashback. EPS has no void (SPEC §1). */
const epsDescription: MethodDescription = {
  name: 'eps',
  schemes: ['EPS'],
  entryModes: cardEntryModes,
  describe(record) {
    const intent = cardIntentOf(record.intent);
    if (!intent) return noDetails;
    const { amount, request } = record;
    const details = cardDetails(intent, record);
    const cashback = amountOf(request.cashbackMinor, amount);
    const paid = amountOf(intent.cashbackMinor, amount);
    const { account } = intent;
    const screen: MethodDetails['screen'] = {
      ...details.screen,
      approved: {
        ...details.screen?.approved,
        ...(cashback ? { cashback: majorText(cashback), hint: 'takeCash' } : {}),
      },
    };
    if (account === undefined) return { ...details, screen };
    const eps = { account, ...(paid ? { cashback: paid } : {}) };
    return { ...details, screen, receipt: { ...details.receipt, eps }, answer: { account } };
  },
};

function amountOf(minor: string | undefined, amount: Amount): Amount | undefined {
  return minor === undefined ? undefined : { ...amount, minor: BigInt(minor) };
}

/** EPS, at the card reader. Its acquirer is one of the card acquirers. */
export const eps: PaymentMethodModule<object> = {
  description: epsDescription,
  open: (_configured, { reader, acquirers, openDrawer }) => ({
    methods: [epsMethod({ reader, cardAcquirers: cardAcquirersIn(acquirers), openDrawer })],
    acquirers: [],
  }),
};
