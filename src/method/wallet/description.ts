import { walletEntryModes } from '../../domain/entry-mode.ts';
import { walletSchemes } from '../../domain/payment-scheme.ts';
import { type MethodDescription, noDetails } from '../description.ts';
import { hostNumberOf, receiptHost, receiptOriginal } from '../receipt-part.ts';

export const walletDescription: MethodDescription = {
  name: 'wallet',
  schemes: walletSchemes,
  entryModes: walletEntryModes,
  isVoidable: true,
  describe(record) {
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
  },
};
