import type { WalletScheme } from '../domain/payment-scheme.ts';
import { isCustomerPresented } from './customer-presented.ts';

/**
 * Prefixes and lengths of customer codes, as the wallets publish them: WeChat Pay micropay (18 digits, 10 to 15),
 * Alipay barcode payment (16 to 24 digits, 25 to 30), UnionPay QR (19 digits, 62).
 */
const digitCodes: readonly (readonly [WalletScheme, RegExp])[] = [
  ['WECHAT', /^1[0-5]\d{16}$/],
  ['ALIPAY', /^(?:2[5-9]|30)\d{14,22}$/],
  ['UPI_QR', /^62\d{17}$/],
];

/** The wallet of a customer's code; undefined if it is no wallet's code. */
export function walletOfCode(text: string): WalletScheme | undefined {
  const byDigits = digitCodes.find(([, form]) => form.test(text));
  if (byDigits) return byDigits[0];
  return isCustomerPresented(text) ? 'UPI_QR' : undefined;
}
