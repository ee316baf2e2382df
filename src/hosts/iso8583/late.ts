import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { adviceOutcome, approves, reversalOutcome, settlementOutcome } from './answer.ts';
import { type Dialect, type HostMessage, operation } from './dialect.ts';
import { isAnswer } from './link.ts';
import type { Requests } from './request.ts';

export interface LateParts {
  readonly acquirerId: AcquirerId;
  readonly tid: string;
  readonly dialect: Dialect;
  readonly requests: Requests;
}

/** Message types that answer 0100 and 0200. */
const requestTypes: readonly string[] = ['0110', '0210'];

const unanswered = { kind: 'unanswered' } as const;

/** Wraps a message that answers no request in flight. It answers no order that can't be encoded again. */
export function lateAnswer(
  answer: HostMessage,
  reversing: boolean,
  { acquirerId, tid, dialect, requests }: LateParts,
): LateAnswer {
  const { mti, fields } = answer;
  const fits = (request: () => HostMessage, answerMti: () => string): HostMessage | undefined => {
    try {
      const built = request();
      return mti === answerMti() && isAnswer(built, answer) ? built : undefined;
    } catch (error) {
      if (error instanceof RangeError || error instanceof Iso8583Error) return undefined;
      throw error;
    }
  };
  const isApproval = requestTypes.includes(mti) && approves(dialect, answer);
  return {
    acquirerId,
    mti,
    stan: fields[11],
    rrn: fields[37],
    responseCode: fields[39],
    isOurs: fields[41] === tid,
    reversing,
    isApproval,
    approves(order) {
      // For matching, a reversal has the same fields as its original.
      const request = () => requests.reversal(order, false);
      return isApproval && fits(request, () => operation(dialect, order.operation).answerMti) !== undefined;
    },
    adviceOutcome(order) {
      const request = fits(
        () => requests.advice(order, true),
        () => operation(dialect, order.operation).answerMti,
      );
      // A late answer does not tell which attempt it answers, so "duplicate" proves nothing.
      return request ? adviceOutcome(dialect, { request, answer }, false) : unanswered;
    },
    reversalOutcome(order) {
      const request = fits(
        () => requests.reversal(order, true),
        () => dialect.reversal.answerMti,
      );
      return request ? reversalOutcome(dialect, { request, answer }) : unanswered;
    },
    settlementOutcome(order) {
      const { answerMti } = order.trailer ? dialect.trailer : dialect.settlement;
      const request = fits(
        () => requests.settlement(order),
        () => answerMti,
      );
      return request && sameBatch(request, answer) ? settlementOutcome(dialect, { request, answer }) : unanswered;
    },
  };
}

/** Whether batch and totals equal those of the request, where the answer has them. */
function sameBatch(request: HostMessage, answer: HostMessage): boolean {
  return ([60, 63] as const).every((field) => {
    const answered = answer.fields[field];
    return answered === undefined || answered === request.fields[field];
  });
}
