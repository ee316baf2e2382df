import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { CodeForm, WalletCodes } from '../../base/domain/wallet-profile.ts';
import { isCustomerPresented } from './customer-presented.ts';

/**
 * The wallet of a customer's code; undefined if it is no wallet's code. Where several forms fit, the longest prefix
 * decides, and of equal ones the first: so the order of the wallets counts only where the configuration has refused
 * equal prefixes of two that are taken.
 */
export function walletOfCode(text: string, wallets: readonly WalletCodes[]): WalletScheme | undefined {
  let found: { readonly scheme: WalletScheme; readonly length: number } | undefined;
  for (const { scheme, forms } of wallets) {
    const length = Math.max(-1, ...forms.map((form) => prefixLength(text, form)));
    if (length > (found?.length ?? -1)) found = { scheme, length };
  }
  if (found) return found.scheme;
  const emvco = wallets.find(({ hasEmvcoCodes }) => hasEmvcoCodes);
  return emvco && isCustomerPresented(text) ? emvco.scheme : undefined;
}

const tails = { digits: /^\d*$/, alphanumeric: /^[A-Za-z\d]*$/ } as const;

/** The length of the longest prefix with which the text fits the form; -1 if it does not. */
function prefixLength(text: string, { prefixes, length: [least, most], characters }: CodeForm): number {
  if (text.length < least || text.length > most) return -1;
  const fitting = prefixes.filter(
    (prefix) => text.startsWith(prefix) && tails[characters].test(text.slice(prefix.length)),
  );
  return Math.max(-1, ...fitting.map((prefix) => prefix.length));
}
