import type { JournalEvent } from '../../events/event.ts';
import type { AcquirerHost, AdviceOutcome } from '../../ports/acquirer-host.ts';
import type { TransactionRecord } from '../../records/record.ts';
import type { SendAttempt, SendResult } from '../acquirer.ts';
import { adviceOrder, buildOrder } from './message.ts';
import type { NumberProof } from './number-proof.ts';

interface AdviceParts {
  readonly host: Pick<AcquirerHost, 'advise'>;
  readonly numbers: NumberProof;
}

/** Builds the advice of an offline decision (ISO 8583 0220, repeats 0221). Throws UnsendableOrder. */
export function prepareAdvice(record: TransactionRecord, { host, numbers }: AdviceParts): SendAttempt {
  const order = buildOrder(() => adviceOrder(record));
  return async (attempt): Promise<SendResult> => {
    const outcome = await host.advise(order, attempt > 1);
    if (outcome.kind === 'acknowledged') numbers.markTaken();
    if (outcome.kind === 'unanswered') return { kind: 'again' };
    if (outcome.kind !== 'refused') {
      const { kind } = outcome;
      return { kind: 'through', news: `advice ${kind}`, events: [answeredEvent(outcome)] };
    }
    const { reason, responseCode } = outcome;
    if (reason !== 'duplicate' || !numbers.isLacking) return { kind: 'again', refusedWith: responseCode };
    // A repeat would get the same answer, and count as posted. Whether this advice is posted, only the bank can say.
    const rejected = answeredEvent({ kind: 'rejected', reason, responseCode });
    return { kind: 'through', news: 'advice rejected', events: [rejected, { kind: 'numberTaken' }] };
  };
}

const nothingTold = { rrn: '', hostTime: '', hostDate: '' };

/** The event for the host's final answer to an advice. */
export function answeredEvent(
  outcome: Extract<AdviceOutcome, { readonly kind: 'acknowledged' | 'rejected' }>,
): Extract<JournalEvent, { kind: 'adviceAnswered' }> {
  const { kind: answer, reason, responseCode } = outcome;
  const { rrn, hostTime, hostDate } = outcome.kind === 'acknowledged' ? outcome : nothingTold;
  const why = reason === undefined ? {} : { reason };
  return { kind: 'adviceAnswered', answer, ...why, responseCode, rrn, hostTime, hostDate };
}
