/** The account that an EPS customer pays from. */
export type Account = 'SAVINGS' | 'CURRENT';

const accounts: ReadonlyMap<string, Account> = new Map([
  ['10', 'SAVINGS'],
  ['20', 'CURRENT'],
]);

/** Digits 3 and 4 of field 3; undefined for the default account, 00. */
export function accountOf(processing: string): Account | undefined {
  return accounts.get(processing.slice(2, 4));
}

/** 09, goods and services with cash disbursement (ISO 8583:1987, processing code). */
export function isWithCash(processing: string): boolean {
  return processing.startsWith('09');
}
