import * as z from 'zod';
import { milliseconds } from '../../config/common-settings.ts';
import type { HostSettings, MethodSettings } from '../../config/settings-part.ts';
import { clientKey, type WalletAcquirer, walletAcquirer } from './settings/acquirer-schema.ts';
import { ofWallets } from './settings/contradictions.ts';
import { type ConfiguredWallets, isWalletAcquirer } from './settings/profiles.ts';
import { walletsSettings } from './settings/wallet-schema.ts';

const host = {
  secrets: { clientKey },
  stored: z.looseObject({
    id: z.string(),
    protocol: z.literal('qfpay'),
    tid: z.string(),
    appCode: z.string(),
    url: z.string(),
    currencies: z.array(z.string()),
  }),
  terms: ({ tid, mchid = '', appCode, url }) => ({ tid, mchid, appCode, url: URL.parse(url)?.href ?? url }),
  places: ['url'],
  placeOf: ({ url }) => url,
  numbersOf: ({ tid, mchid = '' }) => ({ tid, mid: mchid }),
  withNumbers: (kept, { tid, mid }) => ({ ...kept, tid, mchid: mid === '' ? undefined : mid }),
} as const satisfies HostSettings<Omit<WalletAcquirer, 'clientKey'>>;

interface Timed extends ConfiguredWallets {
  readonly timeouts: { readonly walletResolveMs: number; readonly pendingMs: number };
}

/** QR wallets: the acquirer, and which wallets it has. */
export const walletSettings = {
  acquirer: walletAcquirer,
  host,
  equipment: {},
  sections: { wallets: walletsSettings.default({}) },
  timeouts: {
    walletMs: milliseconds.default(120_000).describe('how long a customer may take to confirm on the phone'),
    walletPollMs: milliseconds.default(2_000).describe('interval between enquiries for a wallet payment'),
    walletResolveMs: milliseconds
      .default(15_000)
      .describe('how long an unknown wallet payment is enquired before the queue takes it over'),
  },
  fleet: ['wallets'],
  samples: {
    QR: {
      equipment: { scanner: { driver: 'line', path: '/dev/poid/scanner', baudRate: 115_200 } },
      acquirer: () => ({
        id: 'QR',
        protocol: 'qfpay',
        url: 'https://wallets.acquirer.example',
        appCode: 'EXAMPLE',
        clientKey: { credential: 'qr' },
        tid: 'TERMINAL1',
      }),
      examples: ['url', 'appCode', 'clientKey', 'tid'],
    },
  },
  contradictions: ofWallets,
  longestPaymentMs: ({ acquirers, timeouts: { pendingMs, walletResolveMs } }: Timed) =>
    Math.max(
      0,
      ...acquirers
        .filter(isWalletAcquirer)
        .map((each) => pendingMs + each.connectTimeoutMs + each.replyTimeoutMs + walletResolveMs),
    ),
} satisfies MethodSettings;
