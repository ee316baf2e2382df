import type { Journal } from '../payment/contracts/journal.ts';

export type { OpenDiscrepancy } from '../payment/records/discrepancies.ts';

interface DiscrepancyParts {
  readonly journal: Pick<Journal, 'discrepancies' | 'settleDiscrepancy'>;
}

/** Writes that the operator of this session has settled it with the bank. Rejects with JournalError. */
export async function settleWithBank(
  number: number,
  session: string,
  { journal }: DiscrepancyParts,
): Promise<'done' | { readonly refused: 'notWaiting' | 'onTrial' }> {
  if (!(await journal.discrepancies()).some((each) => each.number === number)) return { refused: 'notWaiting' };
  return (await journal.settleDiscrepancy(number, session)) ? 'done' : { refused: 'onTrial' };
}
