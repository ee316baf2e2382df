import type { Clock } from '../../base/ports/clock.ts';
import type { PosAnswer } from '../contracts/pos-calls.ts';
import { headerOfAnswer, type MessageHeader } from './header.ts';
import { posIdOf } from './identity.ts';
import type { KnownMessage } from './known-messages.ts';
import type { AbortRequest, TransactionStatusRequest } from './messages.ts';
import { type Asked, bodyOf, type NexoParts, pause } from './outcome.ts';
import { paymentBody, type Handled } from './payment.ts';
import { failure, failureOf, isOpen, success } from './response.ts';
import { reversalBody } from './reversal.ts';
import { poiData } from './transaction-body.ts';

/** The POS of a message that another one names: of a key, its own; otherwise the one of the SaleID. */
function posIdOfReference({ posId, caller }: Asked, saleId: string): string {
  return caller.posId === undefined ? posIdOf(saleId) : posId;
}

/** For so long an abort waits until the terminal is idle. A till waits 30 seconds for its answer. */
const abortMs = 20_000;
const retryMs = 100;

/**
 * Cancels a payment or a reversal. The answer is empty whatever became of it: the outcome is in the answer to the
 * message that is aborted.
 */
export async function handleAbort(
  { MessageReference }: AbortRequest,
  asked: Asked,
  parts: NexoParts,
): Promise<Handled> {
  const { ServiceID: serviceId, SaleID } = MessageReference;
  const saleId = SaleID ?? asked.header.SaleID;
  const message = parts.messages.abort({ posId: posIdOfReference(asked, saleId), saleId, serviceId });
  if (!message?.isStarted) return 'empty';
  const late = new AbortController();
  const ended = AbortSignal.any([late.signal, parts.closing]);
  const timer = parts.clock.setTimeout(() => late.abort(), abortMs);
  const over = Promise.withResolvers<void>();
  ended.addEventListener('abort', () => over.resolve(), { once: true });
  if (ended.aborted) over.resolve();
  await Promise.race([cancel(message, asked, parts, ended), over.promise]);
  parts.clock.clearTimeout(timer);
  return 'empty';
}

/** The terminal does not know a payment whose call is on its way to it: then the cancel is repeated. */
async function cancel(
  message: KnownMessage,
  { caller: { connection: _own, ...caller } }: Asked,
  { calls, clock }: Pick<NexoParts, 'calls'> & { readonly clock: Clock },
  ended: AbortSignal,
): Promise<void> {
  const { posId, messageId } = message;
  while (!ended.aborted) {
    const { status } = await calls.cancel({ posId, messageId }, caller);
    if (status !== 404 || message.calls === 0) return;
    await pause(retryMs, clock, ended);
  }
}

const running = failure('InProgress', 'The transaction is under way, or its outcome is not known yet.');
const unknown = failure('NotFound', 'This terminal has no such message.');

/** The answer to an earlier message, as it would be given now. */
export async function handleTransactionStatus(
  { MessageReference: named }: TransactionStatusRequest,
  asked: Asked,
  parts: NexoParts,
): Promise<Handled> {
  const { header, caller } = asked;
  const saleId = named?.SaleID ?? header.SaleID;
  const posId = posIdOfReference(asked, saleId);
  const { messages, calls } = parts;
  const serviceId = named?.ServiceID ?? undefined;
  const message =
    serviceId === undefined ? messages.last({ posId, saleId }) : messages.find({ posId, saleId, serviceId });
  const answerOf = (more: object): Handled => ({
    response: { ...more, ...(named ? { MessageReference: named } : {}) },
  });
  if (!message && !messages.isWhole) return answerOf({ Response: running });
  if (!message) {
    // The till takes this for "not paid", and may charge in another way.
    if (serviceId !== undefined) messages.makeVoid({ posId, saleId, serviceId });
    return answerOf({ Response: unknown });
  }
  if (message.isAborted && !message.isStarted)
    return answerOf(repeatAnswer(message, header, bodyOfAborted(message, parts)));
  const answer = await calls.enquiry({ posId: message.posId, messageId: message.messageId }, caller);
  if (isOpen(bodyOf(answer))) return answerOf({ Response: running });
  if (answer.status === 404) {
    // Nothing was started for it: by now, or at all.
    if (message.calls > 0 || !message.isStarted) return answerOf({ Response: running });
    messages.forget(message);
    return answerOf({ Response: unknown });
  }
  if (answer.status !== 200) return answerOf({ Response: failureOf(answer.status, bodyOf(answer)) });
  return answerOf(repeatAnswer(message, header, await bodyOfMessage(answer, message, asked, parts)));
}

function bodyOfAborted({ messageId }: KnownMessage, { clock }: Pick<NexoParts, 'clock'>): object {
  const Response = failure('Aborted', 'The message was aborted. Nothing was started.');
  return { Response, POIData: poiData({}, messageId, clock.now()) };
}

function bodyOfMessage(answer: PosAnswer, message: KnownMessage, asked: Asked, parts: NexoParts): Promise<object> {
  return message.category === 'Payment'
    ? paymentBody(answer, message, asked, parts)
    : reversalBody(answer, message, asked, parts);
}

function repeatAnswer(message: KnownMessage, header: MessageHeader, body: object): object {
  const { category, saleId, serviceId, transaction } = message;
  const [TransactionID = '', TimeStamp = ''] = transaction;
  const SaleData = TransactionID === '' ? {} : { SaleData: { SaleTransactionID: { TransactionID, TimeStamp } } };
  const isPayment = category === 'Payment';
  const own = { ...header, MessageClass: 'Service', MessageCategory: category, SaleID: saleId, ServiceID: serviceId };
  return {
    Response: success,
    RepeatedMessageResponse: {
      MessageHeader: headerOfAnswer(own as MessageHeader),
      RepeatedResponseMessageBody: { [`${category}Response`]: { ...body, ...(isPayment ? SaleData : {}) } },
    },
  };
}
