import { ownPosIds } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Owner, Restored } from './answers.ts';

const own: readonly string[] = Object.values(ownPosIds);

/**
 * A restored journal lacks the payments after the copy, so a POS that repeats one of them would charge again. Nothing
 * distinguishes a repeat from a new payment. Until the operator has compared the journal with the banks' books, no
 * request of a POS begins anything; undefined if it may. The operator's own menu sells.
 */
export function refuseUnlessCompared({ posId }: Owner, { restored }: Pick<Journal, 'restored'>): Restored | undefined {
  if (!restored || own.includes(posId)) return undefined;
  return { kind: 'restored', at: restored.at, ...(restored.lastAt === undefined ? {} : { lastAt: restored.lastAt }) };
}
