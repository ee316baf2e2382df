import { boundsOf } from '../../config/bounds.ts';
import type { Configuration, WalletAcquirer } from '../../config/configuration.ts';
import { walletProfiles } from '../../config/wallet-profiles.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import { isTaken, type WalletProfile } from '../../base/domain/wallet-profile.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { StandingListener } from '../../payment/contracts/terminal-recognition.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { AcquirerSource } from './acquirers.ts';

/** What a wallet that gives nothing back does not have. */
const givingBack = ['REFUND', 'VOID_SALE', 'VOID_REFUND'] as const;

/** The wallets' host, opened, and what it takes by configuration. */
export async function walletSource(
  configured: WalletAcquirer,
  { wallets: settings }: Pick<Configuration, 'wallets'>,
  surroundings: { readonly clock: MonotonicClock; readonly onStanding: StandingListener },
): Promise<Extract<AcquirerSource, { readonly kind: 'wallet' }>> {
  const wallets = walletProfiles(settings, configured);
  const id = acquirerId(configured.id);
  const { qfpayHost } = await import('../../hosts/qfpay/host.ts');
  const host = qfpayHost({ ...configured, id, wallets }, surroundings);
  const { scanned, presented, limits } = host;
  const { kinds } = configured;
  const bounds = boundsOf(configured.amounts);
  const brands = [...new Set([...scanned, ...presented])];
  const profile = { id, brands, limits, bounds, scanned, presented, kinds, ...termsOf(wallets, configured) };
  return { kind: 'wallet', profile, host };
}

/** What differs from wallet to wallet. */
function termsOf(
  wallets: readonly WalletProfile[],
  { currencies }: Pick<WalletAcquirer, 'currencies'>,
): Pick<AcquirerProfile, 'group' | 'schemeCurrencies' | 'schemeKinds' | 'schemeBounds' | 'lacking'> {
  const by = <Value>(valueOf: (wallet: WalletProfile) => Value | undefined) =>
    Object.fromEntries(
      wallets.filter(isTaken).flatMap((wallet) => {
        const value = valueOf(wallet);
        return value === undefined ? [] : [[wallet.scheme, value] as const];
      }),
    );
  return {
    group: 'QR',
    schemeCurrencies: by((wallet) => wallet.currencies ?? currencies),
    schemeKinds: by(({ kinds }) => kinds),
    schemeBounds: by(({ bounds }) => (Object.keys(bounds).length > 0 ? bounds : undefined)),
    lacking: by(({ givesBack }) => (givesBack ? undefined : givingBack)),
  };
}
