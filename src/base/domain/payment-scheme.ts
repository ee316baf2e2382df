/** How the payment app starts: `preferredEntryMode` of a request. */
export const preferredEntryModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH', 'DEFAULT'] as const;
export type PreferredEntryMode = (typeof preferredEntryModes)[number];

/** How the terminal collects a payment, as the merchant chooses on the screen. A method may add its own mode. */
export const collectModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type CollectMode = (typeof collectModes)[number] | (string & NonNullable<unknown>);

/** How a card was read: `entryMode` of an answer. */
export const cardEntryModes = ['CONTACTLESS', 'CHIP', 'MAGSTRIPE', 'FALLBACK', 'MANUAL'] as const;
export type CardEntryMode = (typeof cardEntryModes)[number];

export const walletEntryModes = ['QR_SCAN', 'QR_PRESENT'] as const;
export type WalletEntryMode = (typeof walletEntryModes)[number];

/** The entry modes of SPEC §2.3. A payment method may add its own. */
export const knownEntryModes = [...cardEntryModes, ...walletEntryModes, 'CASH', 'OCTOPUS'] as const;
export type KnownEntryMode = (typeof knownEntryModes)[number];
export type EntryMode = KnownEntryMode | OtherCode;

export function isKnownEntryMode(entryMode: string): entryMode is KnownEntryMode {
  return (knownEntryModes as readonly string[]).includes(entryMode);
}

/** Payment scheme codes, as in `paymentMethod` and `paymentBrand`. */
export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY', 'DINERS', 'DISCOVER'] as const;
export type CardBrand = (typeof cardBrands)[number];

/** The wallets that every terminal knows. A configuration may add others (wallet-profile.ts). */
export const walletSchemes = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const;
export type WalletScheme = (typeof walletSchemes)[number] | OtherCode;

/** The scheme that a card is charged as. An EPS card is a bank card for which the customer chose EPS. */
export type CardScheme = CardBrand | 'EPS';

/** The codes which every terminal knows (SPEC §2.3). */
export const paymentSchemes = [...cardBrands, ...walletSchemes, 'OCTOPUS', 'EPS', 'CASH'] as const;
export type KnownScheme = (typeof paymentSchemes)[number];

/** A payment method may add its own code. */
export type PaymentScheme = KnownScheme | OtherCode;

/** Any other code, in capitals. A plain `string` would absorb the known codes. */
export type OtherCode = string & Record<never, never>;

export function isKnownScheme(scheme: string): scheme is KnownScheme {
  return (paymentSchemes as readonly string[]).includes(scheme);
}

/** The six methods of SPEC §1. */
export const methodGroups = ['CARD', 'UNIONPAY', 'QR', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type MethodGroup = (typeof methodGroups)[number];
