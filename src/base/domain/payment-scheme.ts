/** Payment scheme codes, as in `paymentMethod` and `paymentBrand`. */
export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'] as const;
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
