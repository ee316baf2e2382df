/**
 * The state of a transaction's receipt. WAITING: it is in the printer's queue, and printed as soon as the printer is
 * able to. NOT_PRINTED: the terminal prints none: it has no printer, the POS prints, or nothing was sent for
 * authorization.
 */
export const receiptStatuses = ['PRINTED', 'WAITING', 'NOT_PRINTED'] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];
