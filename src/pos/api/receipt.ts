import * as z from 'zod';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { receiptLanguages } from '../../base/domain/receipt-language.ts';
import { presentOf } from '../../payment/records/present.ts';
import type { RecordTree } from '../../payment/records/transaction-status.ts';
import { type ApiParts, beforeJournal, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer, transactionPrintData } from './pos-response.ts';
import { callerOf } from './caller.ts';
import { identifier, inputFaults, jsonObject, oneOf, optional, refusal, text } from './input.ts';
import type { PosCaller } from '../contracts/pos-calls.ts';

const running = { reason: 'transactionRunning', message: 'the transaction is under way' } as const;
const unknown = { reason: 'receiptUnknown', message: 'there is no such transaction' } as const;
const noReceipt = {
  reason: 'noReceipt',
  message: 'this transaction has no receipt: it was never sent for authorization',
} as const;
const ofSettlement = {
  reason: 'receiptOfSettlement',
  message: 'this is a settlement, which has a report and no receipt',
} as const;
const busy = { reason: 'readingBusy', message: 'too many callers wait for pictures of receipts' } as const;
const nothing = { financialImpact: 'NONE' } as const;

export const receiptRequest = z.strictObject(
  {
    posId: optional(identifier),
    messageId: optional(identifier),
    terminalTransactionId: optional(text(64)),
    copy: optional(oneOf(['CUSTOMER', 'MERCHANT'])),
    output: optional(oneOf(['PRINT', 'TEXT', 'PNG', 'HTML', 'DATA'])),
    language: optional(oneOf(receiptLanguages)),
  },
  jsonObject,
);

/**
 * POST /sp/v1/receipt: prints an earlier receipt again, or returns it as text, picture (PNG, base64), page (HTML) or
 * print data.
 */
export async function receipt(body: unknown, parts: ApiParts, caller: PosCaller): Promise<Answer> {
  const parsed = receiptRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(
      400,
      { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error, Object.keys(receiptRequest.shape)) },
      body,
    );
  const { terminalTransactionId, posId, messageId, output = 'PRINT', language } = parsed.data;
  if (language !== undefined && (output === 'PRINT' || output === 'DATA')) {
    const message = 'is only for TEXT, PNG and HTML: what is printed has the language of the configuration';
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldInvalid', '/language', message), body);
  }
  if (terminalTransactionId === undefined && (posId === undefined || messageId === undefined)) {
    const message = 'is required, or posId and messageId';
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldMissing', '/terminalTransactionId', message), body);
  }
  const tree = await findRecord(parsed.data, parts);
  if (tree === 'running') return errorAnswer(409, 'PROCESSING', running, { financialImpact: 'UNKNOWN' });
  // A paired POS gets the same answer for a transaction of another POS as for none.
  if (!tree || !mayRead(caller, tree)) return answerWithoutRecord(parsed.data, parts, caller);
  const { record } = tree;
  if (!record.conclusion || !record.intent) {
    return errorAnswer(422, 'INVALID_TRANSACTION_STATUS', noReceipt, nothing);
  }
  return outputAnswer(tree, parsed.data, parts, caller);
}

async function outputAnswer(
  tree: RecordTree,
  { copy = 'CUSTOMER', output = 'PRINT', language }: z.infer<typeof receiptRequest>,
  parts: ApiParts,
  caller: PosCaller,
): Promise<Answer> {
  const { record } = tree;
  const { reprints, pictures } = parts;
  const view = { copy, language };
  const answer = (more: Readonly<Record<string, unknown>> = {}): Answer => ({
    status: 200,
    body: {
      responseResult: 'SUCCESS',
      responseCode: 0,
      posId: record.request.posId,
      messageId: record.request.messageId,
      terminalTransactionId: record.id,
      copy,
      output,
      ...(language === undefined ? {} : { language }),
      ...more,
    },
  });
  switch (output) {
    case 'TEXT':
      return answer({ text: await reprints.text(tree, view) });
    case 'PNG': {
      const png = await pictures.run(callerOf(caller), () => reprints.png(tree, view));
      if (!png) return errorAnswer(503, 'ERROR', busy, nothing);
      return answer({ png: Buffer.from(png).toString('base64') });
    }
    case 'HTML':
      return answer({ html: await reprints.html(tree, view) });
    case 'DATA':
      return answer({ transactionPrintData: transactionPrintData(record, parts, presentOf(tree)) });
    case 'PRINT': {
      const fault = await reprints.print(tree, copy);
      if (fault === undefined) return answer();
      const notPrinted = { reason: 'receiptNotPrinted', message: `the receipt was not printed (${fault})` } as const;
      return errorAnswer(503, 'ERROR', notPrinted, nothing);
    }
    default:
      return output satisfies never;
  }
}

function mayRead({ posId }: PosCaller, { record }: RecordTree): boolean {
  return posId === undefined || posId === record.request.posId;
}

async function findRecord(
  { terminalTransactionId: id, posId = '', messageId = '' }: z.infer<typeof receiptRequest>,
  { terminal }: ApiParts,
): Promise<RecordTree | 'running' | undefined> {
  if (id !== undefined) return terminal.recall(id as TerminalTransactionId);
  const answer = await terminal.enquire(posId, messageId);
  if (answer.kind === 'running') return 'running';
  return answer.kind === 'ended' ? terminal.recall(answer.record.id) : undefined;
}

async function answerWithoutRecord(
  asked: z.infer<typeof receiptRequest>,
  parts: ApiParts,
  caller: PosCaller,
): Promise<Answer> {
  if (await isSettlement(asked, parts, caller))
    return errorAnswer(422, 'INVALID_TRANSACTION_STATUS', ofSettlement, nothing);
  const { since } = parts.terminal.notFound();
  return since === undefined
    ? errorAnswer(404, 'NOT_FOUND', unknown, nothing)
    : errorAnswer(404, 'NOT_FOUND', beforeJournal(since), { financialImpact: 'UNKNOWN' });
}

/** A paired POS sees neither the settlements nor the transactions of another one. */
async function isSettlement(
  { terminalTransactionId: id, posId = '', messageId = '' }: z.infer<typeof receiptRequest>,
  { terminal }: ApiParts,
  { posId: own }: PosCaller,
): Promise<boolean> {
  const named = id === undefined ? { posId, messageId } : await terminal.identityOf(id as TerminalTransactionId);
  if (!named || (own !== undefined && named.posId !== own)) return false;
  return (await terminal.enquireSettlement(named.posId, named.messageId)) !== undefined;
}
