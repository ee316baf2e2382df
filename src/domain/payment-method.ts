/** Payment scheme codes, as `paymentMethod` and `paymentBrand` tell them. */
export const cardBrands = ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'] as const;
export type CardBrand = (typeof cardBrands)[number];

export const paymentMethods = [...cardBrands, 'ALIPAY', 'WECHAT', 'FPS', 'UPI_QR', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];
