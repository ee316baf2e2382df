/** What became of a till's print job. WAITING: it is kept, and printed as soon as the printer can. */
export const printStatuses = ['PRINTED', 'WAITING', 'NOT_PRINTED'] as const;
export type PrintStatus = (typeof printStatuses)[number];
