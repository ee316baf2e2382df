import { nearestWord } from '../../../base/domain/nearest-word.ts';
import { paymentSchemes, walletSchemes } from '../../../base/domain/payment-scheme.ts';
import type { WalletProfile, CodeForm, WalletCodes } from '../../../base/domain/wallet-profile.ts';
import type { Contradiction } from '../../../config/contradiction.ts';
import {
  builtInWallets,
  type ConfiguredWallets,
  isOffered,
  isWalletAcquirer,
  mergedWallets,
  ownOf,
  walletProfiles,
} from './profiles.ts';
import type { WalletSettings } from './wallet-schema.ts';

const ways = ['scanned', 'presented'] as const;

/** QFPay, CPM: the host finds the wallet of a scanned code by the code itself, so several wallets may have this one. */
const payTypeOfAll = '800008';

/** Checks of the wallets, each with all others: an order's wallet must be certain before anything is sent. */
export function ofWallets(checked: ConfiguredWallets): Contradiction[] {
  const { acquirers, wallets } = checked;
  const host = acquirers.find(isWalletAcquirer);
  const codes = Object.keys(wallets);
  if (!host && codes.length > 0) return [{ path: ['wallets'], message: 'needs an acquirer with the protocol qfpay' }];
  const merged = mergedWallets(wallets);
  const entries = codes.flatMap((code) => ofEntry(code, merged[code] ?? {}));
  return [...entries, ...ofOlderForm(checked), ...(entries.length === 0 ? ofTaken(checked) : [])];
}

/** One entry by itself, with what is built in. */
function ofEntry(code: string, settings: WalletSettings): Contradiction[] {
  const no = (message: string, ...path: readonly string[]) => [{ path: ['wallets', code, ...path], message }];
  if (!/^[A-Z][A-Z\d_]{1,15}$/.test(code)) return no('is no code: 2 to 16 capitals, digits or _, a capital first');
  if (reserved.includes(code)) return no('is the code of another way to pay');
  if (!settings.name && !ownOf(builtInWallets, code)) {
    const names = Object.keys(builtInWallets);
    const near = nearestWord(code, names);
    return no(`is not a built-in wallet, and has no name${near ? `; did you mean ${near}?` : ''}`);
  }
  for (const language of ['en', 'zh-Hant'] as const) {
    if (settings.name?.[language] === undefined) return no('is missing', 'name', language);
  }
  if (settings.offered === false) return [];
  for (const way of ways) {
    if (isOffered(way, settings) && settings[way]?.payType === undefined) return no('is missing', way, 'payType');
  }
  if (!ways.some((way) => isOffered(way, settings))) {
    return no('can’t be taken: it needs presented with a payType, or scanned with a payType and codes');
  }
  if (settings.refund === 'none' && settings.kinds?.some((kind) => kind !== 'SALE')) {
    return no('names a kind that gives something back, which this wallet does not (refund)', 'kinds');
  }
  return [];
}

const reserved: readonly string[] = [
  ...paymentSchemes.filter((scheme) => !(walletSchemes as readonly string[]).includes(scheme)),
  'CARD',
  'QR',
  'DEFAULT',
];

/** scanned and presented of the acquirer: pay types of known wallets, and nothing besides them. */
function ofOlderForm({ acquirers, wallets }: ConfiguredWallets): Contradiction[] {
  return acquirers.flatMap((each, at) => {
    if (!isWalletAcquirer(each)) return [];
    const { scanned, presented } = each;
    const given = ways.filter((way) => each[way] !== undefined);
    const [first] = given;
    if (first && Object.keys(wallets).length > 0) {
      return [{ path: ['acquirers', at, first], message: 'is the older form of wallets: give one of them' }];
    }
    if (scanned && presented && Object.keys(scanned).length + Object.keys(presented).length === 0) {
      return [
        { path: ['acquirers', at, 'scanned'], message: 'is empty, and presented too: the acquirer offers no wallet' },
      ];
    }
    const names = Object.keys(builtInWallets);
    return given.flatMap((way) =>
      Object.keys(each[way] ?? {}).flatMap((code) => {
        if (names.includes(code)) return [];
        const near = nearestWord(code, names);
        const message = near ? `is not a built-in wallet; did you mean ${near}?` : 'is not a built-in wallet';
        return [{ path: ['acquirers', at, way, code], message }];
      }),
    );
  });
}

/** All wallets that are taken: none may be taken for another one. */
function ofTaken({ acquirers, wallets }: ConfiguredWallets): Contradiction[] {
  return acquirers.flatMap((each, at) => {
    if (!isWalletAcquirer(each)) return [];
    const profiles = walletProfiles(wallets, each);
    const isOlder = each.scanned !== undefined || each.presented !== undefined;
    const place = (way: (typeof ways)[number], code: string) =>
      isOlder ? ['acquirers', at, way, code] : ['wallets', code, way, 'payType'];
    if (!profiles.some(({ scanned, presented }) => scanned ?? presented)) {
      return [{ path: ['wallets'], message: 'leaves no wallet that is taken: leave the acquirer out instead' }];
    }
    return [...ofPayTypes(profiles, place), ...ofPrefixes(profiles)];
  });
}

type Place = (way: (typeof ways)[number], code: string) => (string | number)[];

/** A pay_type, with its tag, must identify one wallet, because the host assigns orders by it. */
function ofPayTypes(profiles: readonly WalletProfile[], place: Place): Contradiction[] {
  const types = ways.flatMap((way) =>
    profiles.flatMap(({ scheme, ...profile }) => {
      const taken = profile[way];
      if (!taken || taken.payType === payTypeOfAll) return [];
      const tag = 'payTag' in taken ? ` ${taken.payTag}` : '';
      return [{ way, scheme, type: `${taken.payType}${tag}` }];
    }),
  );
  return types.flatMap(({ way, scheme, type }, index) => {
    const first = types.slice(0, index).find((earlier) => earlier.type === type && earlier.scheme !== scheme);
    if (!first) return [];
    const message = `is the pay_type of ${first.way}.${first.scheme} too: each wallet needs its own`;
    return [{ path: place(way, scheme), message }];
  });
}

/** Two wallets with one prefix: a code of one would be charged to the other. */
function ofPrefixes(profiles: readonly WalletProfile[]): Contradiction[] {
  const scanned = profiles.filter((profile) => profile.scanned !== undefined);
  return scanned.flatMap((profile, index) => {
    for (const earlier of scanned.slice(0, index)) {
      const shared = sharedPrefix(profile.codes, earlier.codes);
      if (shared === undefined) continue;
      const message = `${shared} of ${earlier.scheme} too: a code would belong to both`;
      return [{ path: ['wallets', profile.scheme, 'scanned', 'codes'], message }];
    }
    return [];
  });
}

/**
 * What two wallets' codes have in common so that nothing decides between them: an equal prefix with a common length, or
 * EMVCo's codes. A longer prefix decides, so it is not in common with a shorter one.
 */
function sharedPrefix(one: WalletCodes, other: WalletCodes): string | undefined {
  if (one.hasEmvcoCodes && other.hasEmvcoCodes) return 'has the EMVCo codes';
  for (const form of one.forms) {
    for (const also of other.forms) {
      const prefix = form.prefixes.find((each) => also.prefixes.includes(each));
      if (prefix !== undefined && meet(form, also)) return `has the prefix ${prefix}`;
    }
  }
  return undefined;
}

function meet({ length: [least, most] }: CodeForm, { length: [otherLeast, otherMost] }: CodeForm): boolean {
  return least <= otherMost && otherLeast <= most;
}
