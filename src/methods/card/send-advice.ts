import type { JournalEvent } from '../../payment/events/event.ts';
import type { AcquirerHost, AdviceOutcome } from '../../payment/contracts/acquirer-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { SendAttempt, SendResult } from '../../payment/method/acquirer.ts';
import { adviceOrder, buildOrder } from './message.ts';
import type { UnsentAttempts } from './unsent-attempts.ts';

/**
 * Whether a number that a host calls a duplicate can be this journal's own. A new journal, or a restored older copy,
 * assigns numbers that the host may know from before. Until the host has accepted one number since the start,
 * "duplicate" proves nothing, and nothing may be reversed under that number (I12).
 */
export class StanConfirmation {
  #isProven = false;

  get isLacking(): boolean {
    return !this.#isProven;
  }

  /** Called when the host has posted a message with a number of this journal. */
  markTaken(): void {
    this.#isProven = true;
  }
}

interface AdviceParts {
  readonly host: Pick<AcquirerHost, 'advise'>;
  readonly numbers: StanConfirmation;
  readonly unsent: UnsentAttempts;
}

/** Builds the advice of an offline decision (ISO 8583 0220, repeats 0221). Throws UnsendableOrder. */
export function prepareAdvice(record: TransactionRecord, { host, numbers, unsent }: AdviceParts): SendAttempt {
  const order = buildOrder(() => adviceOrder(record));
  return async (attempt): Promise<SendResult> => {
    const outcome = await host.advise(order, attempt > 1);
    if (outcome.kind === 'acknowledged') numbers.markTaken();
    if (outcome.kind === 'notSent') unsent.note(record.id);
    if (outcome.kind === 'notSent' || outcome.kind === 'unanswered') return { kind: 'again' };
    if (outcome.kind !== 'refused') {
      const kind = outcome.kind === 'acknowledged' ? outcome.kind : 'rejected';
      const isOnly = attempt - unsent.of(record.id) <= 1;
      unsent.forget(record.id);
      return { kind: 'through', news: `advice ${kind}`, events: [answeredEvent(outcome, isOnly)] };
    }
    const { reason, responseCode } = outcome;
    if (reason !== 'duplicate' || !numbers.isLacking) return { kind: 'again', refusedWith: responseCode };
    // A repeat would get the same answer, and count as posted. Whether this advice is posted, only the bank can say.
    const rejected = answeredEvent({ kind: 'rejected', reason, responseCode }, true);
    return { kind: 'through', news: 'advice rejected', events: [rejected, { kind: 'numberTaken' }] };
  };
}

const noAnswerFields = { rrn: '', hostTime: '', hostDate: '' };

/**
 * The event for the host's final answer to an advice. `isOnly`: no other attempt to send it can have reached the host.
 * A rejected repeat proves nothing about an attempt whose answer was lost. Neither does an answer with another amount.
 */
export function answeredEvent(
  outcome: Extract<AdviceOutcome, { readonly kind: 'acknowledged' | 'rejected' | 'contradicted' }>,
  isOnly: boolean,
): Extract<JournalEvent, { kind: 'adviceAnswered' }> {
  if (outcome.kind === 'contradicted') {
    const { kind: _kind, accepts: _accepts, ...answered } = outcome;
    return { kind: 'adviceAnswered', answer: 'rejected', ...answered };
  }
  const { kind: answer, reason, responseCode } = outcome;
  const { rrn, hostTime, hostDate } = outcome.kind === 'acknowledged' ? outcome : noAnswerFields;
  const why = reason === undefined ? {} : { reason };
  const doubt = answer === 'acknowledged' || isOnly ? {} : { ofRepeat: true as const };
  return { kind: 'adviceAnswered', answer, ...why, responseCode, rrn, hostTime, hostDate, ...doubt };
}
