import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { adviceOutcome, approves, reversalOutcome, settlementOutcome } from './answer.ts';
import { type Dialect, type HostMessage, operation, uploadRow } from './dialect.ts';
import { isAnswer, isEqual } from './link.ts';
import type { Requests } from './request.ts';

export interface LateParts {
  readonly acquirerId: AcquirerId;
  readonly tid: string;
  readonly dialect: Dialect;
  readonly requests: Requests;
}

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
      return mti === answerMti() && isAnswer(built, answer, dialect.matching) ? built : undefined;
    } catch (error) {
      if (error instanceof RangeError || error instanceof Iso8583Error) return undefined;
      throw error;
    }
  };
  const isApproval = answersRequest(dialect, mti) && approves(dialect, answer);
  return {
    acquirerId,
    mti,
    stan: fields[11],
    rrn: fields[37],
    responseCode: fields[39],
    isOurs: fields[41] === undefined ? !dialect.matching.always.includes(41) : fields[41].trimEnd() === tid.trimEnd(),
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
      const request = fits(
        () => requests.settlement(order),
        () => (order.trailer ? uploadRow(dialect, 'trailer') : dialect.settlement).answerMti,
      );
      return request && sameBatch(request, answer, dialect)
        ? settlementOutcome(dialect, { request, answer })
        : unanswered;
    },
  };
}

/** Whether `mti` is the type of an answer to an online request. */
function answersRequest(
  { operations: { sale, auth, refund, void: aVoid, voidRefund } }: Dialect,
  mti: string,
): boolean {
  return [sale, auth, refund, aVoid, voidRefund].some((row) => row?.answerMti === mti);
}

/** Whether batch and totals equal those of the request, where the answer has them. */
function sameBatch(request: HostMessage, answer: HostMessage, { matching: { ofBatch } }: Dialect): boolean {
  return ofBatch.every((field) => {
    const answered = answer.fields[field];
    return answered === undefined || isEqual(answered, request.fields[field]);
  });
}
