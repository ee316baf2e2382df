/** Payment scheme codes, as `paymentMethod` and `paymentBrand` tell them. */
export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'] as const;
export type CardBrand = (typeof cardBrands)[number];

export const walletSchemes = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const;
export type WalletScheme = (typeof walletSchemes)[number];

export const paymentSchemes = [...cardBrands, ...walletSchemes, 'OCTOPUS', 'EPS', 'CASH'] as const;
export type PaymentScheme = (typeof paymentSchemes)[number];

/** What a card is charged as. An EPS card is a bank's card, and EPS by the customer's choice. */
export type CardScheme = CardBrand | 'EPS';
