import { type MethodGroup, methodGroups, type TransactionKind } from '../domain/capability.ts';
import { type CardBrand, cardBrands, paymentMethods } from '../domain/payment-method.ts';
import type { FinancialImpact, ResponseResult } from '../domain/response-code.ts';
import { transactionTypes } from '../domain/transaction-type.ts';
import type { CardSummary, SettledBatch } from '../ports/journal.ts';
import type { DeviceState } from '../ports/device.ts';
import type { LinkState } from '../ports/acquirer-host.ts';
import type { PrinterFault } from '../ports/receipt-printer.ts';
import type { RunningState } from '../terminal/request.ts';
import type { PresentStatus } from '../terminal/terminal.ts';

/** JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string' } as const;
const amount = { type: 'number', description: 'major units' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const timestamp = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[+-]\\d{4}$' } as const;

/** Lists of words are checked against their types: `all` names each member. */
function all<Word extends string>(words: Readonly<Record<Word, true>>): JsonSchema {
  return { enum: Object.keys(words) };
}

const kind = { enum: transactionTypes.filter((type): type is TransactionKind => type !== 'VOID') };
const states = all<RunningState>({ collecting: true, authorizing: true, settling: true });
const statuses = all<PresentStatus>({
  APPROVED: true,
  DECLINED: true,
  ERROR: true,
  VOIDED: true,
  REFUNDED: true,
  ADJUSTED: true,
  REVERSED: true,
});
const responseResult = all<ResponseResult>({
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
const financialImpact = all<FinancialImpact>({ NONE: true, REVERSED: true, REVERSAL_PENDING: true });
/** Empty where no card came. */
const entryMode = all<CardSummary['entryMode'] | ''>({
  '': true,
  CONTACTLESS: true,
  CHIP: true,
  MAGSTRIPE: true,
  FALLBACK: true,
  MANUAL: true,
});
const brand = { enum: ['' satisfies CardBrand | '', ...cardBrands] };

/** Every property is there, unless it is named in `optional`. */
function object(properties: JsonSchema, ...optional: readonly string[]): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function named(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

const code = { type: 'integer', description: '0 SUCCESS; 1000 + field 39 of a host that declined' } as const;
const identity = { posId: text, messageId: text };
const done = { responseResult: { const: 'SUCCESS' }, responseCode: { const: 0 } };
const common = { ...identity, responseResult, terminalTransactionId: text, message: text, financialImpact };
const device = { name: text, state: all<DeviceState>({ ready: true, connecting: true, absent: true }) };
const waiting = { pendingReversals: count, pendingAdvices: count };

/** The answers of the interface (SPEC §2.2 to 2.4 and what stands around them), by the name of their schema. */
export const answerSchemas = {
  PosResponse: { oneOf: [named('PosResponseA'), named('PosResponseB')] },
  PosResponseA: object(
    { ...common, responseCode: code, transactionResult: named('TransactionResult') },
    'message',
    'financialImpact',
  ),
  PosResponseB: object(
    { ...common, transactionPrintData: named('TransactionPrintData') },
    'message',
    'financialImpact',
  ),
  TransactionResult: object({
    acquirerId: text,
    acquirerMid: text,
    acquirerTid: text,
    appName: text,
    approvalCode: text,
    batch: count,
    createTime: timestamp,
    currency: text,
    entryMode,
    invoice: count,
    maskedPan: text,
    originalTerminalTransactionId: text,
    paymentMethod: brand,
    poiReferenceId: text,
    posReferenceId: text,
    rrn: text,
    tipAmount: amount,
    totalAmount: amount,
    trace: count,
    tranStatus: statuses,
    tranType: kind,
  }),
  TransactionPrintData: object({
    authenticationMethod: text,
    baseAmount: amount,
    cardData: object({
      aid: text,
      appName: text,
      atc: text,
      cardholderName: text,
      maskedExpiry: text,
      maskedPan: text,
      tc: text,
      tsi: text,
      tvr: text,
    }),
    currency: text,
    dateTime: timestamp,
    entryMode,
    paymentBrand: brand,
    paymentInstrumentType: text,
    posReferenceId: text,
    shopAddress: text,
    shopEmail: text,
    shopLogo: text,
    shopName: text,
    shopPhone: text,
    tipAmount: amount,
    totalAmount: amount,
    transactionId: text,
    transactionStatus: statuses,
    transactionType: kind,
  }),
  Enquiry: { oneOf: [named('PosResponseA'), named('PosResponseB'), named('Processing')] },
  Processing: object({
    ...identity,
    responseResult: { const: 'PROCESSING' },
    responseCode: { const: 11 },
    message: text,
    state: states,
  }),
  Cancelled: object({ ...identity, ...done, terminalTransactionId: text, message: text }),
  Settlement: object(
    {
      ...identity,
      responseResult: { enum: ['SUCCESS', 'ERROR'] satisfies ResponseResult[] },
      responseCode: code,
      message: text,
      financialImpact,
      settlements: list(named('Batch')),
    },
    'message',
    'financialImpact',
  ),
  Batch: object(
    {
      acquirer: text,
      acquirerMid: text,
      acquirerTid: text,
      batch: count,
      result: all<SettledBatch['result']>({ BALANCED: true, UPLOADED: true, FAILED: true }),
      message: text,
      totals: list(object({ transactionType: kind, currency: text, count, totalAmount: amount })),
    },
    'message',
  ),
  Receipt: object(
    {
      ...identity,
      ...done,
      terminalTransactionId: text,
      copy: { enum: ['CUSTOMER', 'MERCHANT'] },
      output: { enum: ['PRINT', 'TEXT', 'PNG', 'DATA'] },
      text,
      png: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
      transactionPrintData: named('TransactionPrintData'),
    },
    'text',
    'png',
    'transactionPrintData',
  ),
  Status: object(
    {
      ...done,
      version: text,
      state: { enum: ['idle', ...(states['enum'] as string[])] },
      ready: { type: 'boolean' },
      message: text,
      running: object(identity),
      devices: object(
        {
          reader: object(device),
          printer: object({
            ...device,
            fault: all<PrinterFault | 'none'>({
              none: true,
              absent: true,
              'paper-out': true,
              'cover-open': true,
              error: true,
            }),
          }),
        },
        'printer',
      ),
      acquirers: list(
        object({
          id: text,
          mid: text,
          tid: text,
          link: all<LinkState>({ up: true, down: true, idle: true }),
          openBatch: count,
          ...waiting,
        }),
      ),
      ...waiting,
      waitingReceipts: count,
    },
    'message',
    'running',
  ),
  Capabilities: object({
    ...done,
    methods: list(
      object({
        method: { enum: methodGroups satisfies readonly MethodGroup[] },
        paymentMethods: list({ enum: paymentMethods }),
        kinds: list(kind),
        acquirers: list(text),
      }),
    ),
  }),
  Fault: object(
    {
      ...identity,
      responseResult,
      responseCode: code,
      message: text,
      financialImpact,
      errors: list(
        object({ pointer: { type: 'string', description: 'JSON pointer into the body, RFC 6901' }, message: text }),
      ),
      running: { ...object(identity), description: 'whose transaction keeps the terminal busy' },
      state: states,
      possible: { ...list(kind), description: 'the kinds that could be asked for instead' },
      transaction: named('PosResponse'),
    },
    'posId',
    'messageId',
    'financialImpact',
    'errors',
    'running',
    'state',
    'possible',
    'transaction',
  ),
  Document: { type: 'object', required: ['openapi', 'info', 'paths'] },
} as const satisfies Readonly<Record<string, JsonSchema>>;
