/** Transaction types of the interface (SPEC §1). VOID is the void that fits the original. */
export const transactionTypes = [
  'SALE',
  'TIP_ADJUST',
  'AUTH',
  'OFFLINE_SALE',
  'AUTH_COMP',
  'REFUND',
  'VOID_SALE',
  'VOID_AUTH',
  'VOID_OFFLINE',
  'VOID_AUTH_COMP',
  'VOID_REFUND',
  'VOID',
] as const;

export type TransactionType = (typeof transactionTypes)[number];
