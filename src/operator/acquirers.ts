import { type AcquirerId, acquirerId } from '../base/domain/identifiers.ts';
import type { Journal } from '../payment/contracts/journal.ts';

export interface AcquirersParts {
  readonly journal: Pick<Journal, 'acquirers'>;
  /** The configured ones. */
  readonly acquirers: readonly string[];
}

/**
 * The configured acquirers and those that were configured before: only the operator can conclude the open transactions
 * of the latter.
 */
export async function knownAcquirers({ journal, acquirers }: AcquirersParts): Promise<readonly AcquirerId[]> {
  return [...new Set([...acquirers.map(acquirerId), ...(await journal.acquirers())])];
}
