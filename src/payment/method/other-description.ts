import { majorNumber, majorText } from '../../base/domain/amount.ts';
import type { TransactionRecord } from '../records/record.ts';
import { type MethodDescription, type MethodDetails, noDetails } from './description.ts';
import { balanceOf, hostWords, receiptHost, receiptOriginal } from './receipt-part.ts';

/** For a record whose method this version does not know: it is presented by its codes, without words. */
export const otherDescription: MethodDescription = {
  name: '',
  schemes: [],
  entryModes: [],
  describe: describeMeans,
};

/** Presents any intent of the general form, for a method without details of its own. */
export function describeMeans(record: TransactionRecord): MethodDetails {
  const { intent } = record;
  if (!intent || !('method' in intent)) return noDetails;
  const { original } = intent;
  const balance = balanceOf(record);
  const left = balance ? { balance: majorText(balance) } : {};
  const names = original && original.hostNumber !== '' ? { hostNumber: original.hostNumber } : {};
  return {
    receipt: {
      host: receiptHost(intent, record, hostWords(record)),
      ...(original ? { original: receiptOriginal(record, names, original.amountMinor) } : {}),
    },
    own: { lines: [['cardNumber', lastFour(intent.method.maskedNumber)]], ...(balance ? { balance } : {}) },
    screen: { approved: { wallet: intent.method.scheme, ...left }, declined: left },
    answer: balance ? { balanceAmount: majorNumber(balance) } : {},
  };
}

/** Fails closed: a value that does not end in four digits is printed as asterisks. */
function lastFour(maskedNumber: string): string {
  if (maskedNumber === '') return '';
  const digits = maskedNumber.slice(-4);
  return `****${/^\d{4}$/.test(digits) ? digits : '****'}`;
}
