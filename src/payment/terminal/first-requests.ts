import { ownPosIds } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Owner, Restored } from './answers.ts';

const own: readonly string[] = Object.values(ownPosIds);

/**
 * A restored journal lacks the payments after the copy, so a POS that repeats its latest request would charge again.
 * Until the operator has compared the journal with the banks' books, the first unknown request of each POS begins
 * nothing, and neither does its repeat. Another request of that POS is a new payment.
 */
export class FirstRequests {
  readonly #journal: Pick<Journal, 'restored'>;
  /** The messageId of the first request by POS, since this start. */
  readonly #first = new Map<string, string>();

  constructor(journal: Pick<Journal, 'restored'>) {
    this.#journal = journal;
  }

  /** The answer to a request that may be the repeat of one that is not in the journal; undefined if it may begin. */
  refusal({ posId, messageId }: Owner): Restored | undefined {
    const { restored } = this.#journal;
    if (!restored || own.includes(posId)) return undefined;
    const first = this.#first.get(posId);
    if (first !== undefined && first !== messageId) return undefined;
    this.#first.set(posId, messageId);
    return { kind: 'restored', at: restored.at, ...(restored.lastAt === undefined ? {} : { lastAt: restored.lastAt }) };
  }
}
