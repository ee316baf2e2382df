import { acquirerId } from '../../base/domain/identifiers.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { UnsendableOrder } from '../../payment/contracts/acquirer-host.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import { numberedBatches } from '../../payment/method/batch-settler.ts';
import { majorNumber, majorText } from '../../base/domain/amount.ts';
import { type MethodDescription, noDetails } from '../../payment/method/description.ts';
import { isPlainSale, takesBrands } from '../../payment/method/methods.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
import type { CashParts } from './parts.ts';
import { CashSession } from './session.ts';

/** Cash has no host, and no void (SPEC §1). */
const cashDescription: MethodDescription = {
  name: 'cash',
  schemes: ['CASH'],
  entryModes: ['CASH'],
  describe({ intent, amount }) {
    if (!intent || !('cash' in intent)) return noDetails;
    const tendered = { ...amount, minor: BigInt(intent.cash.tenderedMinor) };
    const change = { ...amount, minor: tendered.minor - amount.minor };
    return {
      receipt: { cash: { tendered, change } },
      screen: { approved: { tendered: majorText(tendered), change: majorText(change) } },
      answer: { tenderedAmount: majorNumber(tendered), changeAmount: majorNumber(change) },
    };
  },
};

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

/** Cash is settled with the merchant, who counts the till. A settlement prints the totals, which need no agreement. */
export function cashAcquirer(profile: AcquirerProfile): Acquirer {
  return {
    profile,
    settler: { ...numberedBatches, settle: async () => ({ result: 'BALANCED' }) },
    prepare: (message, { id }) => {
      throw new UnsendableOrder(`transaction ${id} has a queued ${message}, and cash has no host`);
    },
    close: async () => undefined,
  };
}

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
