/** Payment scheme codes, as `paymentMethod` and `paymentBrand` tell them. */
export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'] as const;
export type CardBrand = (typeof cardBrands)[number];

export const walletSchemes = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const;
export type WalletScheme = (typeof walletSchemes)[number];

/** What a card is charged as. An EPS card is a bank's card, and EPS by the customer's choice. */
export type CardScheme = CardBrand | 'EPS';

/** The codes of SPEC §2.3, which every terminal knows. */
export const paymentSchemes = [...cardBrands, ...walletSchemes, 'OCTOPUS', 'EPS', 'CASH'] as const;
export type KnownScheme = (typeof paymentSchemes)[number];

/** A payment method may have a code of its own beside them. */
export type PaymentScheme = KnownScheme | OtherCode;

/** Any other code, in capitals: a plain `string` would swallow the known ones. */
export type OtherCode = string & Record<never, never>;

export function isKnownScheme(scheme: string): scheme is KnownScheme {
  return (paymentSchemes as readonly string[]).includes(scheme);
}
