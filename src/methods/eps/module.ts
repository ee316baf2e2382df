import { cardAcquirersIn } from '../card/acquirer.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { epsDescription } from './description.ts';
import { epsMethod } from './method.ts';

/** EPS, at the card reader. Its acquirer is one of the card acquirers. */
export const eps: PaymentMethodModule<object> = {
  description: epsDescription,
  open: (_configured, { reader, acquirers, openDrawer }) => ({
    methods: [epsMethod({ reader, cardAcquirers: cardAcquirersIn(acquirers), openDrawer })],
    acquirers: [],
  }),
};
