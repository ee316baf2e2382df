import { receiptLanguages } from '../../base/domain/receipt-language.ts';
import type { ResponseResult } from '../../base/domain/reason.ts';
import type { SettledBatch } from '../../payment/events/settlement.ts';
import {
  all,
  amount,
  code,
  count,
  done,
  financialImpact,
  identity,
  type JsonSchema,
  kind,
  list,
  schemaReference,
  object,
  reason,
  responseResult,
  states,
  step,
  text,
  why,
  whyKeys,
} from './openapi-schema.ts';
import { counterSchemas } from './openapi-counter-answers.ts';
import { listSchemas } from './openapi-lists.ts';
import { eventSchemas } from './openapi-events.ts';
import { terminalSchemas } from './openapi-terminal.ts';
import { transactionSchemas } from './openapi-transaction.ts';

/** The answer schemas by name. */
export const answerSchemas = {
  ...transactionSchemas,
  ...counterSchemas,
  Settlement: object(
    {
      ...identity,
      responseResult: { enum: ['SUCCESS', 'ERROR'] satisfies ResponseResult[] },
      responseCode: code,
      terminalTransactionId: { type: 'string', description: 'of the settlement: an enquiry and a report take it' },
      message: text,
      financialImpact,
      ...why,
      merchantId: { type: 'string', description: 'as in the request; absent if it had none' },
      settlements: list(schemaReference('Batch')),
    },
    'merchantId',
    'message',
    'financialImpact',
    ...whyKeys,
  ),
  Pairing: object({ ...done, posId: text, pairingId: text, terminalPublicKey: text, terminalNonce: text }),
  Paired: object({ ...done, keyId: text, proof: text }),
  Batch: object(
    {
      acquirer: text,
      acquirerMid: text,
      acquirerTid: text,
      merchantId: { type: 'string', description: 'the merchant that has this acquirer' },
      batch: count,
      result: all<SettledBatch['result']>({ BALANCED: true, UPLOADED: true, FAILED: true }),
      message: text,
      empty: { const: true, description: 'the batch was empty' },
      confirmedByOperator: { const: true, description: 'settled by the bank’s word to the operator' },
      totals: list(object({ transactionType: kind, currency: text, count, totalAmount: amount })),
      unresolved: {
        ...list(object({ transactionType: kind, currency: text, count, totalAmount: amount })),
        description: 'may have been paid, the outcome is not known yet: in no total until it is known',
      },
      openAuths: {
        ...list(object({ transactionType: kind, currency: text, count, totalAmount: amount })),
        description: 'auths of this batch that were neither completed nor voided',
      },
      rejectedAdvices: {
        ...list(
          object(
            {
              terminalTransactionId: text,
              transactionType: kind,
              currency: text,
              amount,
              hostCode: text,
              message: text,
            },
            'message',
          ),
        ),
        description:
          'told as approved before the host rejected them; from any batch, until the operator has decided; in no total',
      },
    },
    'merchantId',
    'message',
    'empty',
    'confirmedByOperator',
    'unresolved',
    'openAuths',
    'rejectedAdvices',
  ),
  Receipt: object(
    {
      ...identity,
      ...done,
      terminalTransactionId: text,
      copy: { enum: ['CUSTOMER', 'MERCHANT'] },
      output: { enum: ['PRINT', 'TEXT', 'PNG', 'HTML', 'DATA'] },
      language: { enum: receiptLanguages },
      text,
      png: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      html: { type: 'string', contentMediaType: 'text/html' },
      transactionPrintData: schemaReference('TransactionPrintData'),
    },
    'language',
    'text',
    'png',
    'html',
    'transactionPrintData',
  ),
  ...terminalSchemas,
  ...eventSchemas,
  ...listSchemas,
  Fault: object(
    {
      ...identity,
      responseResult,
      responseCode: code,
      message: text,
      financialImpact,
      ...why,
      errors: list(
        object({
          pointer: { type: 'string', description: 'JSON pointer into the body, or the query (RFC 6901)' },
          message: text,
          reason,
        }),
      ),
      running: { ...object(identity), description: 'the transaction that keeps the terminal busy' },
      state: states,
      step,
      possible: { ...list(kind), description: 'the transaction kinds that are possible instead' },
      transaction: schemaReference('PosResponse'),
    },
    'posId',
    'messageId',
    'financialImpact',
    ...whyKeys,
    'errors',
    'running',
    'state',
    'step',
    'possible',
    'transaction',
  ),
  Document: {
    type: 'object',
    properties: { openapi: text, info: { type: 'object' }, paths: { type: 'object' } },
    required: ['openapi', 'info', 'paths'],
    additionalProperties: true,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;
