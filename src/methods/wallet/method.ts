import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { WalletProfile } from '../../base/domain/wallet-profile.ts';
import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import { isPlainSale } from '../../payment/method/methods.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
import type { WalletParts } from './parts.ts';
import { codeReader, WalletSession } from './session.ts';

export interface WalletMethodParts extends Pick<WalletParts, 'wallets' | 'waits'> {
  /** All wallets that this terminal knows. */
  readonly profiles: readonly WalletProfile[];
  readonly scanner: CodeScanner | undefined;
}

/** QR wallets: the terminal scans the customer's code, or shows one for the customer to scan. */
export function walletMethod({ wallets, profiles, waits, scanner }: WalletMethodParts): PaymentMethod {
  const recognize = codeReader(profiles);
  const schemes = profiles.map(({ scheme }) => scheme);
  const scanning: MethodMode = {
    ...common,
    schemes,
    mode: 'QR_SCAN',
    preferredAs: 'QR_SCAN',
    step: 'scanningCode',
    scene: 'scanCode',
    device: 'scanner',
    isEquipped: scanner !== undefined,
    notReady: () => (scanner?.state === 'ready' ? undefined : absent),
    schemesOf: (offers) => offers.flatMap(({ scanned = [] }): readonly WalletScheme[] => scanned),
  };
  const presenting: MethodMode = {
    ...common,
    schemes,
    mode: 'QR_PRESENT',
    preferredAs: 'QR_PRESENT',
    showsCode: true,
    step: 'presentingCode',
    scene: 'presentCode',
    isEquipped: true,
    notReady: () => undefined,
    schemesOf: (offers) => offers.flatMap(({ presented = [] }): readonly WalletScheme[] => presented),
  };
  return {
    name: 'wallet',
    modes: [scanning, presenting],
    owns: (intent) => 'wallet' in intent,
    begin: (order, parts) => new WalletSession(order, { ...parts, wallets, waits }, { scanner, recognize }),
  };
}

const common = {
  // A refund goes by its original, so nothing is presented. Only EPS offers cashback.
  fits: isPlainSale,
} as const satisfies Partial<MethodMode>;

const absent = { reason: 'scannerAbsent', message: 'the scanner is not connected' } as const;
