import { posDetailsOf, acquirerId, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { PaymentRequest } from '../../payment/terminal/request.ts';
import type { PayAnswer } from '../../payment/terminal/answers.ts';
import { noOriginal } from '../../payment/transaction/reference.ts';
import { type ApiParts, terminalRefusalAnswer, refusalAnswer, copyAnswer } from './call.ts';
import { cardNumberFault } from './card-number-fault.ts';
import { type Answer, posResponse } from './pos-response.ts';
import { collectTimeFault, parsePosRequest, type PosRequest, requestDigest, withWholeAmount } from './pos-request.ts';
import { isRefusal, refusalOf, type InputRefusal } from './input.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import type { TerminalCapabilities } from '../../payment/transaction/terminal-capabilities.ts';
import { isPlanRefusal, planPayment } from '../../payment/transaction/plan.ts';

/** POST /sp/v1/payment. The call blocks until the transaction has ended (SPEC §4). */
export async function payment(
  written: unknown,
  parts: ApiParts,
  { expiresAt, connection }: Partial<PosCaller> = {},
): Promise<Answer> {
  const body = await withWholeAmount(written, parts.terminal);
  if (body === undefined) return refusalAnswer(422, refusalOf(noOriginal), written);
  const request = parsePosRequest(body);
  if (isRefusal(request)) return refusalAnswer(400, request, body);
  const impossibility =
    cardNumberFault(request, parts) ??
    paymentRefusal(request, parts.capabilities) ??
    collectTimeFault(request, parts.collectTimes);
  // A repeat gets its original answer, even if the terminal's capabilities have changed.
  if (impossibility && !(await isKnown(request, parts))) return refusalAnswer(422, impossibility, body);
  const asked = {
    ...paymentRequest(request, parts),
    ...digestsOf(request, body !== written),
    ...(expiresAt ? { expiresAt } : {}),
  };
  const paid = parts.terminal.pay(asked).then((answer) => payAnswer(answer, request, body, parts));
  return parts.waiting.answer('payment', request, connection, paid);
}

async function isKnown({ posId, messageId }: PosRequest, { terminal }: ApiParts): Promise<boolean> {
  return (await terminal.enquire(posId, messageId)).kind !== 'notFound';
}

/** A repeat of a void without an amount is the same request, whatever its original amounts to by then. */
function digestsOf(request: PosRequest, isAmountAdded: boolean): Pick<PaymentRequest, 'digest' | 'digestWith'> {
  const digestWith = (minor: bigint) => requestDigest({ ...request, amount: { ...request.amount, minor } });
  return { digest: requestDigest(request), ...(isAmountAdded ? { digestWith } : {}) };
}

function paymentRequest(request: PosRequest, { answerFor }: ApiParts): Omit<PaymentRequest, 'digest'> {
  const { posId, messageId, transactionType: type, amount, tipMinor, cashbackMinor, approvalCode, collectMs } = request;
  const { forceAcquirer, preferredEntryMode, preferredInstrument } = request;
  const original = request.originalTerminalTransactionId;
  return {
    posId,
    messageId,
    type,
    amount,
    ...answerFor(posId),
    ...posDetailsOf(request),
    ...(request.merchantId === undefined ? {} : { merchantId: request.merchantId }),
    ...(tipMinor === undefined ? {} : { tipMinor }),
    ...(request.askTip === true ? { askTip: true } : {}),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor }),
    ...(preferredEntryMode === undefined ? {} : { preferredEntryMode }),
    ...(preferredInstrument === undefined ? {} : { preferredInstrument }),
    ...(approvalCode === undefined ? {} : { approvalCode }),
    ...(request.allowPartial === true ? { allowPartial: true } : {}),
    ...(request.splitOf === undefined ? {} : { splitOf: request.splitOf as TerminalTransactionId }),
    ...(collectMs === undefined ? {} : { collectMs }),
    ...(original === undefined ? {} : { originalId: original as TerminalTransactionId }),
    ...(forceAcquirer === undefined ? {} : { forcedAcquirer: acquirerId(forceAcquirer) }),
  };
}

function payAnswer(answer: PayAnswer, request: PosRequest, body: unknown, parts: ApiParts): Answer {
  switch (answer.kind) {
    case 'ended':
      return { status: 200, body: posResponse(answer.record, parts, answer) };
    case 'restored':
      return copyAnswer(answer, request);
    case 'refused':
      return refusalAnswer(422, refusalOf(answer.refusal), body);
    default:
      return terminalRefusalAnswer(answer, request);
  }
}

interface PaymentRefusal extends InputRefusal {
  /** The transaction kinds that are possible instead. */
  readonly possible: readonly TransactionKind[];
}

/** Why this terminal can't do a well-formed request; undefined if it can. Decided before anything starts. */
export function paymentRefusal(request: PosRequest, capabilities: TerminalCapabilities): PaymentRefusal | undefined {
  const { transactionType: type, forceAcquirer, originalTerminalTransactionId: originalId } = request;
  const plan = planPayment(
    {
      ...request,
      type,
      forcedAcquirer: forceAcquirer === undefined ? undefined : acquirerId(forceAcquirer),
      originalId: originalId as TerminalTransactionId | undefined,
    },
    capabilities,
  );
  if (!isPlanRefusal(plan)) return undefined;
  return { ...refusalOf(plan), possible: plan.possible };
}
