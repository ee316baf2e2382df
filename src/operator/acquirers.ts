import { type AcquirerId, acquirerId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';

export interface AcquirersParts {
  readonly journal: Pick<Journal, 'acquirers'>;
  /** Those that are configured. */
  readonly acquirers: readonly string[];
}

/** Also those that are configured no longer: what is left of them only the operator can bring to an end. */
export async function knownAcquirers({ journal, acquirers }: AcquirersParts): Promise<readonly AcquirerId[]> {
  return [...new Set([...acquirers.map(acquirerId), ...(await journal.acquirers())])];
}
