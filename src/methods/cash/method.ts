import { isPlainSale, takesBrands } from '../../payment/method/acquirer-choice.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
import type { CashParts } from './parts.ts';
import { CashSession } from './session.ts';

/** Cash, which the merchant counts. */
export function cashMethod({ openDrawer }: Pick<CashParts, 'openDrawer'>): PaymentMethod {
  const mode: MethodMode = {
    mode: 'CASH',
    preferredAs: 'CASH',
    step: 'tenderingCash',
    scene: 'tenderCash',
    isEquipped: true,
    notReady: () => undefined,
    ...takesBrands(['CASH']),
    fits: isPlainSale,
  };
  return {
    name: 'cash',
    modes: [mode],
    owns: (intent) => 'cash' in intent,
    begin: (order, parts) => new CashSession(order, { ...parts, openDrawer }),
  };
}
