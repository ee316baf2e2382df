import { boundsOf } from '../../../config/bounds.ts';
import { mergeOver } from '../../../config/merge.ts';
import type { WalletProfile } from '../../../base/domain/wallet-profile.ts';
import type { WalletAcquirer } from './acquirer-schema.ts';
import builtIn from './wallets.json' with { type: 'json' };
import { type WalletSettings, walletsSettings } from './wallet-schema.ts';

/** The keys of the configuration that say which wallets there are. */
export interface ConfiguredWallets {
  readonly acquirers: readonly (WalletAcquirer | { readonly id: string; readonly protocol: string })[];
  readonly wallets: Readonly<Record<string, WalletSettings>>;
}

export function isWalletAcquirer(each: ConfiguredWallets['acquirers'][number]): each is WalletAcquirer {
  return each.protocol === 'qfpay';
}

/** What of an acquirer names wallets with their pay_type, and takes no others: the older form. */
export interface NamedPayTypes {
  readonly scanned?: Readonly<Record<string, string>> | undefined;
  readonly presented?: Readonly<Record<string, string>> | undefined;
}

export const builtInWallets: Readonly<Record<string, WalletSettings>> = walletsSettings.parse(builtIn);

/** The built-in wallets with what the configuration changes, then its own, in its order. */
export function mergedWallets(
  configured: Readonly<Record<string, WalletSettings>>,
): Readonly<Record<string, WalletSettings>> {
  const codes = [...new Set([...Object.keys(builtInWallets), ...Object.keys(configured)])];
  return Object.fromEntries(codes.map((code) => [code, mergedWallet(code, configured)]));
}

function mergedWallet(code: string, configured: Readonly<Record<string, WalletSettings>>): WalletSettings {
  const below = ownOf(builtInWallets, code) ?? {};
  const above = ownOf(configured, code);
  // An entry of the configuration is taken unless it says otherwise. Both have been read by the schema.
  return above ? mergeOver({ ...below, offered: true }, above) : below;
}

export function ownOf<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** All wallets that this terminal knows, taken or not. `named`: the older form, which replaces the pay types of both ways. */
export function walletProfiles(
  configured: Readonly<Record<string, WalletSettings>> = {},
  named: NamedPayTypes = {},
): readonly WalletProfile[] {
  return Object.entries(mergedWallets(configured)).map(([scheme, settings]) => ({
    ...profileOf(scheme, settings, named),
    isRenamed: ownOf(configured, scheme)?.name !== undefined,
  }));
}

/** The same of a configuration, which has one acquirer for wallets at most. */
export function knownWallets({ acquirers, wallets }: ConfiguredWallets): readonly WalletProfile[] {
  return walletProfiles(wallets, acquirers.find(isWalletAcquirer));
}

function profileOf(scheme: string, settings: WalletSettings, named: NamedPayTypes): Omit<WalletProfile, 'isRenamed'> {
  const { name = {}, logo, closing, refund = 'host', kinds, currencies, amounts = {} } = settings;
  const { codes = [], emvco: hasEmvcoCodes = false } = settings.scanned ?? {};
  const presented = payTypeOf(scheme, 'presented', settings, named);
  const scanned = payTypeOf(scheme, 'scanned', settings, named);
  const { payTag, emvco = false, canExpire = false } = settings.presented ?? {};
  return {
    scheme,
    name: { en: name.en ?? scheme, 'zh-Hant': name['zh-Hant'] ?? name.en ?? scheme },
    ...(logo === undefined ? {} : { logo }),
    ...(presented === undefined
      ? {}
      : { presented: { payType: presented, isEmvco: emvco, canExpire, ...(payTag === undefined ? {} : { payTag }) } }),
    ...(scanned === undefined ? {} : { scanned: { payType: scanned } }),
    codes: { scheme, forms: codes, hasEmvcoCodes },
    ...(closing ? { closing } : {}),
    givesBack: refund === 'host',
    ...(kinds ? { kinds } : {}),
    ...(currencies ? { currencies } : {}),
    bounds: boundsOf(amounts),
  };
}

/** The pay_type by which a wallet is taken this way; undefined if it is not. */
function payTypeOf(
  scheme: string,
  way: 'scanned' | 'presented',
  settings: WalletSettings,
  named: NamedPayTypes,
): string | undefined {
  const only = named[way];
  if (only) return ownOf(only, scheme);
  return isOffered(way, settings) ? settings[way]?.payType : undefined;
}

/** Whether a wallet is to be taken this way. To be scanned, its codes must be known. */
export function isOffered(way: 'scanned' | 'presented', settings: WalletSettings): boolean {
  const { offered = true, scanned } = settings;
  if (!offered || settings[way]?.offered === false || settings[way] === undefined) return false;
  return way === 'presented' || scanned?.emvco === true || (scanned?.codes ?? []).length > 0;
}
