import type { CodeScanner } from '../../../src/base/ports/code-scanner.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { PaymentMethodModule } from '../../../src/payment/method/payment-method-module.ts';
import type { Acquirer } from '../../../src/payment/method/acquirer.ts';
import type { MethodMode, PaymentMethod } from '../../../src/payment/method/payment-method.ts';
import { LoyaltyAcquirer } from './acquirer.ts';
import { loyaltyDescription } from './description.ts';
import { LoyaltyLink } from './host.ts';
import { LoyaltySession } from './session.ts';
import { loyaltySettings, type LoyaltySettings } from './settings.ts';

/** A stored-value card with a code on it, which the scanner reads. */
export const loyalty: PaymentMethodModule<{ readonly methods: readonly LoyaltySettings[] }> = {
  description: loyaltyDescription,
  entries: { protocol: 'loyalty', schema: loyaltySettings },
  open({ methods }, { scanner }) {
    const opened = methods.map((settings) => openOne(settings, scanner));
    return { methods: opened.map(({ method }) => method), acquirers: opened.map(({ acquirer }) => acquirer) };
  },
};

function openOne(
  settings: LoyaltySettings,
  scanner: CodeScanner | undefined,
): { readonly method: PaymentMethod; readonly acquirer: Acquirer } {
  const id = acquirerId(settings.id);
  const link = new LoyaltyLink(settings);
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
}

const absent = { reason: 'scannerAbsent', message: 'the scanner is not connected' } as const;
