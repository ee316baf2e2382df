import { walletEntryModes, isKnownScheme, walletSchemes } from '../../base/domain/payment-scheme.ts';
import { isTaken, type WalletProfile } from '../../base/domain/wallet-profile.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import {
  type MethodDescription,
  type MethodDetails,
  type MethodLabels,
  noDetails,
} from '../../payment/method/description.ts';
import { hostNumberOf, receiptHost, receiptOriginal } from '../../payment/method/receipt-part.ts';

export const walletDescription: MethodDescription = {
  name: 'wallet',
  schemes: walletSchemes,
  entryModes: walletEntryModes,
  describe: describeWallet,
};

/** The same for a terminal that knows these wallets, with the names that are not built into receipt and page, and the logos. */
export function describeWallets(wallets: readonly WalletProfile[]): MethodDescription {
  const named = wallets.filter(({ scheme, isRenamed }) => isRenamed || !isKnownScheme(scheme));
  const labels: MethodLabels = Object.fromEntries(named.map(({ scheme, name }) => [scheme, name]));
  return {
    ...walletDescription,
    schemes: [...new Set([...walletSchemes, ...wallets.filter(isTaken).map(({ scheme }) => scheme)])],
    labels,
    logos: Object.fromEntries(wallets.flatMap(({ scheme, logo }) => (logo === undefined ? [] : [[scheme, logo]]))),
    describe(record) {
      const details = describeWallet(record);
      const { intent } = record;
      const isNamed = intent && 'wallet' in intent && Object.hasOwn(labels, intent.wallet.scheme);
      return isNamed ? { ...details, own: { lines: [] } } : details;
    },
  };
}

function describeWallet(record: TransactionRecord): MethodDetails {
  const { intent, hostOutcome } = record;
  if (!intent || !('wallet' in intent)) return noDetails;
  const { wallet, original } = intent;
  const walletNumber = hostOutcome?.kind === 'approved' ? hostOutcome.walletNumber : undefined;
  const { hostNumber = '', amountMinor = '0' } = original ?? {};
  return {
    receipt: {
      host: receiptHost(intent, record),
      ...(original ? { original: receiptOriginal(record, { hostNumber }, amountMinor) } : {}),
      wallet: { hostNumber: hostNumberOf(record), walletNumber: walletNumber ?? '' },
    },
    screen: { approved: { wallet: wallet.scheme } },
    answer: walletNumber === undefined ? {} : { walletTransactionId: walletNumber },
  };
}
