/** The languages of receipts, as BCP 47 names them. */
export const receiptLanguages = ['en', 'zh-Hant'] as const;
export type ReceiptLanguage = (typeof receiptLanguages)[number];
