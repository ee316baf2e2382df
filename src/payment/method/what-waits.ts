import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';

/** A payment that was not sent, because messages of before wait for its host. */
interface Blocked {
  readonly kind: 'notSent';
  readonly reason: 'reversals-pending' | 'advices-pending';
}

/**
 * Why an acquirer takes no payment while its queue is not empty. Where only advices wait, no money is in doubt. Without an answer
 * of the journal it is the worse of the two.
 */
export async function blockedBy(acquirerId: AcquirerId, journal: Pick<Journal, 'pending'>): Promise<Blocked> {
  const pending = await journal.pending().catch(() => []);
  const messages = pending.filter((each) => each.acquirerId === acquirerId).map(({ message }) => message);
  const onlyAdvices = messages.length > 0 && !messages.includes('reversal');
  return { kind: 'notSent', reason: onlyAdvices ? 'advices-pending' : 'reversals-pending' };
}
