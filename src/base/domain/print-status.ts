/** The state of a till's print job. WAITING: it is stored, and printed as soon as the printer is able to. */
export const printStatuses = ['PRINTED', 'WAITING', 'NOT_PRINTED'] as const;
export type PrintStatus = (typeof printStatuses)[number];
