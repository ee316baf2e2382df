import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { PaymentMethodModule } from '../../../src/payment/method/payment-method-module.ts';
import type { MethodMode } from '../../../src/payment/method/payment-method.ts';
import { LoyaltyAcquirer } from './acquirer.ts';
import { loyaltyDescription } from './description.ts';
import { LoyaltyLink } from './host.ts';
import { LoyaltySession } from './session.ts';
import { loyaltySettings } from './settings.ts';

/** A stored-value card with a code on it, which the scanner reads. */
export const loyalty: PaymentMethodModule = {
  protocol: 'loyalty',
  description: loyaltyDescription,
  open(configured, { scanner }) {
    const { success, data, error } = loyaltySettings.safeParse(configured);
    if (!success) throw new RangeError(`methods: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}`);
    const id = acquirerId(data.id);
    const link = new LoyaltyLink(data);
    const mode: MethodMode = {
      mode: 'LOYALTY',
      preferredAs: 'QR_SCAN',
      step: 'scanningLoyaltyCard',
      scene: 'scanCode',
      device: 'scanner',
      isEquipped: scanner !== undefined,
      notReady: () => (scanner?.state === 'ready' ? undefined : absent),
      schemes: ['LOYALTY'],
      schemesOf: (offers) => offers.flatMap(({ brands }) => brands).filter((brand) => brand === 'LOYALTY'),
      fits: ({ type, cashbackMinor }) => type === 'SALE' && cashbackMinor === undefined,
    };
    return {
      acquirer: new LoyaltyAcquirer(id, link),
      method: {
        name: 'loyalty',
        modes: [mode],
        owns: (intent) => 'method' in intent && intent.method.name === 'loyalty',
        begin: (order, parts) => new LoyaltySession(order, parts, id, link, scanner),
      },
    };
  },
};

const absent = { reason: 'scannerAbsent', message: 'the scanner is not connected' } as const;
