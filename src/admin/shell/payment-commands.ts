import type { Answer } from '../../pos/client/client.ts';
import { conduct, report } from './conduct.ts';
import type { statusOf } from './exit-code.ts';
import { exitCodes } from './exit-code.ts';
import { paymentRequest } from './payment-request.ts';
import { outcomeText, refusalLines, print } from './said.ts';
import { explain, Till, textOf, type TillFlags } from './till.ts';
import { TillError } from './till-error.ts';

/** `poid pay AMOUNT`. */
export async function pay(flags: TillFlags, [amount]: readonly string[]): Promise<number> {
  const till = new Till(flags);
  return conduct(till, paymentRequest(till, flags, amount, textOf(flags, 'type') ?? 'SALE'), flags);
}

/** `poid refund AMOUNT`. */
export async function refund(flags: TillFlags, [amount]: readonly string[]): Promise<number> {
  const till = new Till(flags);
  return conduct(till, paymentRequest(till, flags, amount, 'REFUND'), flags);
}

/** `poid void TRANSACTION`. */
export async function voidTransaction(flags: TillFlags, [transaction = '']: readonly string[]): Promise<number> {
  const till = new Till(flags);
  const type = textOf(flags, 'type') ?? 'VOID';
  return conduct(till, paymentRequest(till, { ...flags, of: transaction }, undefined, type), flags);
}

/** `poid enquire [MESSAGEID]`: without one, of the transaction that this POS began last. */
export async function enquire(flags: TillFlags, [messageId]: readonly string[]): Promise<number> {
  const till = new Till(flags);
  // If the terminal can't be reached, the outcome is unknown: a script must not take it for a refusal.
  await till.reach(exitCodes.unknown);
  const asked = messageId ?? (await lastMessageId(till));
  const { client, answerText } = till.client();
  const first = await client.enquiry(till.identity(asked)).catch(() => undefined);
  if (first && isRefused(first)) return report(till, { is: 'unknown', answer: first }, { flags, text: answerText() });
  // The payment, if any, was sent before this call.
  const outcome = await client.outcome({ ...till.identity(asked), sentAt: new Date(0) });
  return report(till, outcome, {
    flags: { ...flags, 'without-receipt': flags['receipt'] ? undefined : true },
    text: answerText(),
  });
}

/** The terminal refuses such enquiries: repeating one does not help, and the outcome stays unknown. */
const refusals: readonly unknown[] = ['notPaired', 'networkNotAllowed', 'hostNotAllowed', 'originNotAllowed'];

function isRefused({ reason, retryable }: Answer): boolean {
  return retryable === 'CORRECT_REQUEST' || refusals.includes(reason);
}

async function lastMessageId(till: Till): Promise<string> {
  const query = new URLSearchParams({ posId: till.posId, last: 'true' });
  const unknown = (why: string) => new TillError(`the last of ${till.posId} is not known: ${why}`, exitCodes.unknown);
  const path = `/sp/v1/transactions?${query.toString()}`;
  const answer = await till
    .client()
    .client.call('GET', path)
    .catch((error: unknown) => {
      throw unknown(explain(error));
    });
  const { responseResult, transactions } = answer;
  if (responseResult !== 'SUCCESS' || !Array.isArray(transactions)) throw unknown(refusalLines(answer).join('\n'));
  if (transactions.length === 0) throw new TillError(`${till.posId} has begun no transaction`);
  const [last] = transactions as readonly ({ readonly messageId?: unknown } | null)[];
  if (typeof last?.messageId !== 'string') throw unknown('the list has no messageId');
  print(`the last of ${till.posId}: ${last.messageId}`);
  return last.messageId;
}

/** `poid cancel MESSAGEID`. */
export async function cancel(flags: TillFlags, [messageId = '']: readonly string[]): Promise<number> {
  const till = new Till(flags);
  await till.reach();
  const { client, answerText } = till.client();
  const answer = await client.cancel(till.identity(messageId)).catch((error: unknown) => {
    throw new TillError(
      `the cancel got no answer, and may have been received: ${(error as Error).message}`,
      exitCodes.unknown,
    );
  });
  const isCancelled = answer.responseResult === 'SUCCESS';
  if (flags['json']) process.stdout.write(`${answerText()}\n`);
  else if (isCancelled) console.log(`Cancelled  ${till.posId} ${messageId}: nothing was charged`);
  else {
    console.log(['Not cancelled', ...refusalLines(answer)].join('\n'));
    const { transaction } = answer as { readonly transaction?: Parameters<typeof statusOf>[0]['answer'] };
    if (transaction?.responseResult === 'SUCCESS') console.log(outcomeText({ is: 'done', answer: transaction }));
  }
  return isCancelled ? 0 : exitCodes.refused;
}
