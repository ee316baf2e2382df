import type { CurrencyCode } from './currency.ts';
import type { Bounds } from './capability.ts';
import type { WalletScheme } from './payment-scheme.ts';
import type { TransactionKind } from './transaction-kind.ts';

/** A form of the codes that a wallet's customers show: how they begin, and how long they are. */
export interface CodeForm {
  readonly prefixes: readonly string[];
  /** The fewest and the most characters of a code, with its prefix. */
  readonly length: readonly [least: number, most: number];
  /** After the prefix: digits, or letters and digits. */
  readonly characters: 'digits' | 'alphanumeric';
}

/** How a customer's code of a wallet is recognized. */
export interface WalletCodes {
  readonly scheme: WalletScheme;
  readonly forms: readonly CodeForm[];
  /** Its customers also show codes of EMVCo's Consumer-Presented Mode. */
  readonly hasEmvcoCodes: boolean;
}

/** How the terminal shows a wallet's code. */
export interface PresentedWallet {
  /** The host's pay_type. */
  readonly payType: string;
  /** The host's pay_tag, which distinguishes wallets of one pay_type. */
  readonly payTag?: string;
  /** The code is always an EMVCo payload, so that its amount can be checked. */
  readonly isEmvco: boolean;
  /** The host accepts an expiry time of the code. */
  readonly canExpire: boolean;
}

/** The call that ends an unpaid order of a wallet. */
export type ClosingCall = 'reversal' | 'close';

/** The properties of a wallet: a built-in profile, or one of the configuration. */
export interface WalletProfile {
  readonly scheme: WalletScheme;
  readonly name: Readonly<Record<'en' | 'zh-Hant', string>>;
  /** Path of a PNG for the screen. */
  readonly logo?: string;
  /** The configuration has given it another name than the built-in one. */
  readonly isRenamed: boolean;
  /** Absent where the terminal shows no code of it. */
  readonly presented?: PresentedWallet;
  /** Absent if its customers' codes are not accepted. */
  readonly scanned?: { readonly payType: string };
  readonly codes: WalletCodes;
  /** Absent if no source states which call it is: both are tried. */
  readonly closing?: ClosingCall;
  /** Its payments can be voided and refunded. */
  readonly givesBack: boolean;
  /** All that a wallet can, if absent. */
  readonly kinds?: readonly TransactionKind[];
  /** Those of its acquirer, if absent. */
  readonly currencies?: readonly CurrencyCode[];
  readonly bounds: Bounds;
}

/**
 * Whether the wallet is accepted. The codes of other wallets are recognized only to report that they are not accepted.
 */
export function isTaken({ presented, scanned }: WalletProfile): boolean {
  return presented !== undefined || scanned !== undefined;
}
