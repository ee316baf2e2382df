import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';

/** A payment that was not sent, because earlier messages wait for its host. */
interface Blocked {
  readonly kind: 'notSent';
  readonly reason: 'reversals-pending' | 'advices-pending';
}

/**
 * Why an acquirer takes no payment while its queue is not empty. If only advices wait, no customer's money is
 * uncertain. If the journal does not answer, the worse case is assumed.
 */
export async function blockedBy(acquirerId: AcquirerId, journal: Pick<Journal, 'pending'>): Promise<Blocked> {
  const pending = await journal.pending().catch(() => []);
  const messages = pending.filter((each) => each.acquirerId === acquirerId).map(({ message }) => message);
  const onlyAdvices = messages.length > 0 && !messages.includes('reversal');
  return { kind: 'notSent', reason: onlyAdvices ? 'advices-pending' : 'reversals-pending' };
}
