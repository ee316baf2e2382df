import { transactionTypes, type TransactionKind } from '../../base/domain/transaction-kind.ts';
import { reasons, retries, type FinancialImpact, type ResponseResult } from '../../base/domain/reason.ts';
import { printerFaults } from '../../base/ports/receipt-printer.ts';
import type { RunningState } from '../../payment/terminal/request.ts';

/** JSON Schema, draft 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;
export const amount = { type: 'number', description: 'major units' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const timestamp = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{4}$',
} as const;

/** An enum that the compiler checks against its type: `all` must name each member. */
export function all<Word extends string>(words: Readonly<Record<Word, true>>): JsonSchema {
  return { enum: Object.keys(words) };
}

/** Codes of the payment methods, read when the document is served. */
export function codes(list: () => readonly string[]): JsonSchema {
  return {
    get enum() {
      return list();
    },
  };
}

/** The same in an answer: an earlier payment may be of a wallet that is not configured any more. */
export function openCodes(list: () => readonly string[]): JsonSchema {
  return { anyOf: [codes(list), { type: 'string', pattern: '^[A-Z0-9_]{2,16}$' }] };
}

/** All properties are required, except those named in `optional`. */
export function object(properties: JsonSchema, ...optional: readonly string[]): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function schemaReference(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

export const kind = { enum: transactionTypes.filter((type): type is TransactionKind => type !== 'VOID') };
export const runningStates = { collecting: true, authorizing: true, settling: true } as const satisfies Record<
  RunningState,
  true
>;
export const states = all(runningStates);
export const step = {
  type: 'string',
  description: 'the step of the state: choosingTip, presentingCard, enteringPin',
} as const;
export const responseResult = all<ResponseResult>({
  SUCCESS: true,
  DECLINED: true,
  ERROR: true,
  NOT_FOUND: true,
  INVALID_PARAMETER: true,
  TIMEOUT: true,
  DATABASE_ERROR: true,
  UNKNOWN: true,
  PROCESSING: true,
  INVALID_TRANSACTION_STATUS: true,
  INVALID_CURRENCY: true,
  ALREADY_EXISTS: true,
  TRANSACTION_ALREADY_CANCEL: true,
});
export const financialImpact = all<FinancialImpact>({
  NONE: true,
  REVERSED: true,
  REVERSAL_PENDING: true,
  UNKNOWN: true,
});
export const reason = {
  enum: Object.keys(reasons),
  description: 'one name for each cause; later versions may add names',
};
/** The fields with the reason of an answer that is not SUCCESS. */
export const why = {
  reason,
  retryable: {
    enum: retries,
    description:
      'SAME_REQUEST: nothing was started, send it again. NEW_PAYMENT: it is over, a new one needs a new messageId. ' +
      'ENQUIRE: ask for the outcome, and do not charge meanwhile. CALL_OPERATOR: no request helps. ' +
      'CORRECT_REQUEST: it is not possible as it is',
  },
  text: { ...object({ en: text, 'zh-Hant': text }), description: 'for the cashier' },
};
export const whyKeys = Object.keys(why);
export const printerFault = { enum: printerFaults };
export const hostCode = { type: 'string', description: 'the host’s own code, as it came' } as const;
export const code = { type: 'integer', description: '0 SUCCESS; 1000 + field 39 if the host declined' } as const;
export const identity = { posId: text, messageId: text };
export const done = { responseResult: { const: 'SUCCESS' }, responseCode: { const: 0 } };
