import { boundsOf } from '../../config/bounds.ts';
import type { WalletAcquirer as WalletSettings } from './settings/acquirer-schema.ts';
import { type ConfiguredWallets, isWalletAcquirer, knownWallets, walletProfiles } from './settings/profiles.ts';
import { type AcquirerId, acquirerId } from '../../base/domain/identifiers.ts';
import { isTaken, type WalletProfile } from '../../base/domain/wallet-profile.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { HostProtocol, MethodParts, PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import { WalletAcquirer } from './acquirer.ts';
import { ClosedOrderRequery } from './closed-order-requery.ts';
import { describeWallets, walletDescription } from './description.ts';
import { walletMethod } from './method.ts';

/** What wallet payments read of the configuration. */
interface Configured extends ConfiguredWallets {
  readonly timeouts: { readonly walletPollMs: number; readonly walletResolveMs: number };
}

/** QR wallets, scanned or shown, behind QFPay's API. */
export const wallet: PaymentMethodModule<Configured> = {
  description: walletDescription,
  describe: (configured) => describeWallets(knownWallets(configured)),
  async open(configured, parts) {
    const { journal, queue: forwarder, clock, random, scanner, printsReceipt, reports } = parts;
    const { walletPollMs, walletResolveMs } = configured.timeouts;
    const acquirers = configured.acquirers.filter(isWalletAcquirer);
    const hosts = await parts.openHosts(acquirers, qfpay(configured, parts));
    const wallets: ReadonlyMap<AcquirerId, WalletHost> = new Map(hosts.map((each) => [each.profile.id, each.host]));
    const method = walletMethod({
      wallets,
      profiles: knownWallets(configured),
      waits: { walletPollMs, walletResolveMs },
      scanner,
    });
    if (wallets.size === 0) return { methods: [method], acquirers: [] };
    const lagMs = Math.max(0, ...acquirers.map(({ queryLagMs }) => queryLagMs));
    const closedOrders = new ClosedOrderRequery({
      journal,
      wallets,
      forwarder,
      clock,
      random,
      lagMs,
      onPaid: (id) => reports.onHeard('paid after it was closed', id),
      onFailure: (error) => reports.onFailure('wallet', error),
    });
    return {
      methods: [method],
      acquirers: hosts.map(
        ({ profile, host }) => new WalletAcquirer({ profile, host, journal, clock, lagMs, printsReceipt }),
      ),
      beforeSettlement: (id) => closedOrders.beforeSettlement(id),
      close: () => closedOrders.close(),
    };
  },
};

function qfpay(
  { wallets: settings }: Pick<Configured, 'wallets'>,
  { clock, reports: { onRecognition } }: Pick<MethodParts, 'clock' | 'reports'>,
): HostProtocol<WalletSettings, WalletHost> {
  return {
    async open(configured, options) {
      const wallets = walletProfiles(settings, configured);
      const id = acquirerId(configured.id);
      // Loaded only where there are wallets.
      const { qfpayHost } = await import('../../hosts/qfpay/host.ts');
      const host = qfpayHost({ ...configured, id, wallets }, { clock, onRecognition, ...options });
      return { profile: profileOf(id, configured, wallets, host), host };
    },
    // The key of a wallet that was removed is not kept.
    restore: (stored, present) =>
      stored.protocol === 'qfpay' && present
        ? { ...(stored as WalletSettings), clientKey: present.clientKey }
        : undefined,
    close: (host) => host.stop(),
  };
}

/** What a wallet that gives nothing back does not have. */
const givingBack = ['REFUND', 'VOID_SALE', 'VOID_REFUND'] as const;

/** What the wallets' host takes by configuration. */
function profileOf(
  id: AcquirerId,
  configured: WalletSettings,
  wallets: readonly WalletProfile[],
  { scanned, presented, limits }: Pick<WalletHost, 'scanned' | 'presented' | 'limits'>,
): AcquirerProfile {
  const brands = [...new Set([...scanned, ...presented])];
  const { kinds, amounts } = configured;
  const common = { id, brands, limits, bounds: boundsOf(amounts), scanned, presented, kinds };
  return { ...common, ...termsOf(wallets, configured) };
}

/** What differs from wallet to wallet. */
function termsOf(
  wallets: readonly WalletProfile[],
  { currencies }: Pick<WalletSettings, 'currencies'>,
): Pick<AcquirerProfile, 'group' | 'schemeCurrencies' | 'schemeKinds' | 'schemeBounds' | 'lacking'> {
  const by = <Value>(valueOf: (profile: WalletProfile) => Value | undefined) =>
    Object.fromEntries(
      wallets.filter(isTaken).flatMap((profile) => {
        const value = valueOf(profile);
        return value === undefined ? [] : [[profile.scheme, value] as const];
      }),
    );
  return {
    group: 'QR',
    schemeCurrencies: by((profile) => profile.currencies ?? currencies),
    schemeKinds: by(({ kinds }) => kinds),
    schemeBounds: by(({ bounds }) => (Object.keys(bounds).length > 0 ? bounds : undefined)),
    lacking: by(({ givesBack }) => (givesBack ? undefined : givingBack)),
  };
}
