import type { Journal } from '../contracts/journal.ts';
import type { Owner } from './answers.ts';

const payments = 250;
const settlements = 20;

/** The identities that were taken last, the latest last. Rejects with JournalError. */
export async function latestIdentities(
  journal: Pick<Journal, 'listSlice' | 'latestSettlements'>,
): Promise<readonly Owner[]> {
  const [{ found }, settled] = await Promise.all([
    journal.listSlice({ order: 'newest', limit: payments }),
    journal.latestSettlements(settlements),
  ]);
  return [...settled, ...found].toReversed();
}
