import { type Amount, majorText } from '../../base/domain/amount.ts';
import { isCurrencyCode } from '../../base/domain/currency.ts';
import { JsonNumber, type PaymentFields, type PosAnswer } from '../contracts/pos-calls.ts';
import { amountOf, readAmount } from './amounts.ts';
import { readPairs } from './form-pairs.ts';
import { messageIdOf } from './identity.ts';
import type { KnownMessage, Prepared } from './known-messages.ts';
import type { ReversalPlan } from './message-file.ts';
import type { ReversalRequest } from './messages.ts';
import { type Asked, bodyOf, carryOut, type NexoParts } from './outcome.ts';
import { type Handled, refusalOfClaim } from './payment.ts';
import { failure, failureOf, isOpen, type NexoResponse, type PosBody, success } from './response.ts';
import { describeTransaction, describingPairs, poiData } from './transaction-body.ts';
import { encodePairs } from './form-pairs.ts';

const reused = 'another message of the last 48 hours had this ServiceID';
const noAmount = failure('PaymentRestriction', "The till sent an amount that can't be returned.");
const notKnown = failure('InProgress', 'The outcome of the earlier transaction is not known yet.');
const notApproved = failure('NotAllowed', 'The earlier transaction was not approved: nothing is to be returned.');

/**
 * A void of the whole transaction while its batch is open, and a refund otherwise. Which of the two is on disk before
 * it begins, so that a repeat of the message never becomes the other one.
 */
export async function handleReversal(request: ReversalRequest, asked: Asked, parts: NexoParts): Promise<Handled> {
  const { OriginalPOITransaction: original, SaleData } = request;
  const { SaleID: saleId, ServiceID: serviceId } = asked.header;
  const { posId, digest } = asked;
  const category = 'Reversal';
  const { TransactionID: originalId } = original.POITransactionID;
  const sale = SaleData?.SaleTransactionID;
  const transaction = sale ? [sale.TransactionID, sale.TimeStamp] : ['', '', originalId];
  const messageId = messageIdOf({ saleId, serviceId, category, transaction });
  const answerOf = (response: NexoResponse) => ({
    response: {
      Response: response,
      POIData: poiData({}, messageId, parts.clock.now()),
      OriginalPOITransaction: original,
      PaymentReceipt: [],
    },
  });
  const prepare = () => planReversal(request, asked, parts);
  const named = { posId, saleId, serviceId, category, digest, messageId, transaction } as const;
  const claimed = parts.messages.claim(named, prepare);
  const refused = await refusalOfClaim(claimed);
  if (refused === 'other' || !('message' in claimed)) {
    return typeof refused === 'object' ? answerOf(refused) : { rejected: reused };
  }
  if (refused) return answerOf(refused);
  const { message } = claimed;
  const answer = await carryOut(message, () => joinReversal(message, originalId, asked, parts), asked, parts);
  if (!answer) return 'open';
  if (bodyOf(answer).reason === 'messageIdReused') return { rejected: reused };
  return { response: { ...(await reversalBody(answer, message, asked, parts)), OriginalPOITransaction: original } };
}

/** The elements of a ReversalResponse that the terminal's answer decides. */
export async function reversalBody(
  answer: PosAnswer,
  { messageId }: KnownMessage,
  { caller }: Pick<Asked, 'caller'>,
  { calls, clock }: Pick<NexoParts, 'calls' | 'clock'>,
): Promise<object> {
  const body = bodyOf(answer);
  const described = await describeTransaction(body, calls, caller);
  const pairs = describingPairs(described, body);
  const isDone = body.responseResult === 'SUCCESS';
  const { totalAmount } = described.data;
  return {
    Response: isDone ? { ...success, AdditionalResponse: encodePairs(pairs) } : failureOf(answer.status, body, pairs),
    POIData: poiData(body, messageId, clock.now()),
    ...(isDone && typeof totalAmount === 'number' ? { ReversedAmount: totalAmount } : {}),
    PaymentReceipt: described.receipts,
  };
}

interface Remainder {
  readonly total: Amount;
  readonly left: Amount;
}

/** What is returned, and how. */
async function planReversal(request: ReversalRequest, { caller }: Asked, { calls }: NexoParts): Promise<Prepared> {
  const { OriginalPOITransaction: original, ReversedAmount: written, SaleData } = request;
  const { TransactionID: terminalTransactionId } = original.POITransactionID;
  const answer = await calls.enquiry({ terminalTransactionId }, caller);
  const remainder = remainderOf(bodyOf(answer));
  if (!remainder) {
    if (isOpen(bodyOf(answer))) return { refused: notKnown };
    if (answer.status === 200) return { refused: notApproved };
    // A paired POS can return what another one has sold, but not enquire it: the terminal decides.
    const currency =
      readPairs(SaleData?.SaleToAcquirerData ?? '')
        .get('currency')
        ?.toUpperCase() ?? '';
    if (!written) return { plan: { transactionType: 'VOID' } };
    const part = isCurrencyCode(currency) ? readAmount(written, currency) : undefined;
    return part ? { plan: refundOf(part) } : { refused: failureOf(answer.status, bodyOf(answer)) };
  }
  const { total, left } = remainder;
  const amount = written ? readAmount(written, total.currency) : left;
  if (!amount || amount.minor === 0n) return { refused: noAmount };
  const isWhole = amount.minor === total.minor && left.minor === total.minor;
  return { plan: isWhole ? { transactionType: 'VOID', ...moneyOf(amount) } : refundOf(amount) };
}

/** Undefined for a transaction that was not approved, or that is unknown. */
function remainderOf({ responseResult, ...body }: PosBody): Remainder | undefined {
  const fields = (body['transactionResult'] ?? body['transactionPrintData'] ?? {}) as Readonly<Record<string, unknown>>;
  const { totalAmount, finalAmount = totalAmount, refundedAmount = 0, currency } = fields;
  const [total, refunded] = [amountOf(finalAmount, currency), amountOf(refundedAmount, currency)];
  if (responseResult !== 'SUCCESS' || !total || !refunded) return undefined;
  return { total, left: { ...total, minor: total.minor - refunded.minor } };
}

function moneyOf(amount: Amount) {
  return { amount: majorText(amount), currency: amount.currency };
}

function refundOf(amount: Amount): ReversalPlan {
  return { transactionType: 'REFUND', ...moneyOf(amount) };
}

/** Repeats that come while it is carried out wait for the same call. */
function joinReversal(message: KnownMessage, originalId: string, asked: Asked, parts: NexoParts): Promise<PosAnswer> {
  const running = (message.running as Promise<PosAnswer> | undefined) ?? reverse(message, originalId, asked, parts);
  message.running = running;
  return running.finally(() => (message.running = undefined));
}

/** Why a void is refused before it begins, while a refund is possible. */
const refundable: ReadonlySet<string> = new Set(['originalSettled', 'kindNotPossible']);

async function reverse(
  message: KnownMessage,
  originalId: string,
  { posId, caller: { connection: _own, ...caller } }: Asked,
  { calls, messages }: NexoParts,
): Promise<PosAnswer> {
  const pay = () => calls.payment(fieldsOf(message, posId, originalId), caller);
  const answer = await pay();
  const { transactionType, amount, currency } = message.plan ?? {};
  const isRefused = answer.status === 422 && refundable.has(bodyOf(answer).reason ?? '');
  if (transactionType !== 'VOID' || !isRefused || amount === undefined || currency === undefined) return answer;
  // Nothing was started, so the same message becomes a refund.
  await messages.replan(message, { transactionType: 'REFUND', amount, currency });
  return pay();
}

function fieldsOf({ messageId, plan }: KnownMessage, posId: string, originalId: string): PaymentFields {
  const { transactionType = 'VOID', amount, currency } = plan ?? {};
  const money =
    amount === undefined || currency === undefined ? {} : { requestAmount: new JsonNumber(amount), currency };
  // A void without an amount is the same request whatever its original amounts to when it is repeated.
  return {
    posId,
    messageId,
    transactionType,
    originalTerminalTransactionId: originalId,
    ...(transactionType === 'VOID' ? {} : money),
  };
}
