/** The card acquirers of every schedule. */
export const cardAcquirers = ['EDC', 'CUP', 'EPS'] as const;
export type CardAcquirerName = (typeof cardAcquirers)[number];
