import { acquirerId } from '../../base/domain/identifiers.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { cashAcquirer } from './acquirer.ts';
import { cashDescription } from './description.ts';
import { cashMethod } from './method.ts';

/** Cash has no host; its acquirer exists by name only. */
const id = acquirerId('CASH');

/** Cash, where the configuration allows it. */
export const cash: PaymentMethodModule<{ readonly cash: boolean }> = {
  description: cashDescription,
  open: ({ cash: isTaken }, { openDrawer }) => ({
    methods: [cashMethod({ openDrawer })],
    acquirers: isTaken ? [cashAcquirer({ id, brands: ['CASH'] })] : [],
  }),
};
