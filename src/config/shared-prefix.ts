import type { CodeForm, WalletCodes } from '../base/domain/wallet-profile.ts';

/**
 * What two wallets' codes have in common so that nothing decides between them: an equal prefix with a common length, or
 * EMVCo's codes. A longer prefix decides, so it is not in common with a shorter one.
 */
export function sharedPrefix(one: WalletCodes, other: WalletCodes): string | undefined {
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
