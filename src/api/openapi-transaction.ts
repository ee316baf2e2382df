import { clockDoubts } from '../domain/clock-doubt.ts';
import { accounts } from '../domain/account.ts';
import { describedCodes } from '../method/descriptions.ts';
import type { PresentStatus } from '../terminal/answers.ts';
import {
  all,
  amount,
  code,
  codes,
  count,
  done,
  financialImpact,
  identity,
  type JsonSchema,
  kind,
  schemaReference,
  object,
  responseResult,
  states,
  step,
  text,
  timestamp,
} from './openapi-schema.ts';

const statuses = all<PresentStatus>({
  APPROVED: true,
  DECLINED: true,
  ERROR: true,
  VOIDED: true,
  REFUNDED: true,
  ADJUSTED: true,
  REVERSED: true,
});
/** Empty if nothing was presented. */
const entryMode = codes(() => ['', ...describedCodes().entryModes]);
const method = codes(() => ['', ...describedCodes().schemes]);
const clockDoubt = {
  enum: clockDoubts,
  description:
    'the times of this transaction may be wrong: no time server had set the clock, or it was before this build',
};
const common = { ...identity, responseResult, terminalTransactionId: text, clockDoubt, message: text, financialImpact };

/** Fields of some methods only; absent for others. */
const details = {
  account: { enum: accounts, description: 'EPS: the account that the customer paid from' },
  balanceAmount: { type: 'number', description: 'Octopus: the balance of the card, major units; may be negative' },
  cashbackAmount: { type: 'number', description: 'EPS: the cash within totalAmount, major units' },
  changeAmount: { type: 'number', description: 'cash: the change for the customer, major units' },
  tenderedAmount: { type: 'number', description: 'cash: the amount tendered, major units' },
  walletTransactionId: { type: 'string', description: 'QR: the order number that the customer’s phone shows' },
};

/** Schemas of a transaction in the answers to payment, enquiry and cancel (SPEC §2.2 to 2.4), by name. */
export const transactionSchemas = {
  PosResponse: { oneOf: [schemaReference('PosResponseA'), schemaReference('PosResponseB')] },
  PosResponseA: object(
    { ...common, responseCode: code, transactionResult: schemaReference('TransactionResult') },
    'clockDoubt',
    'message',
    'financialImpact',
  ),
  PosResponseB: object(
    { ...common, transactionPrintData: schemaReference('TransactionPrintData') },
    'clockDoubt',
    'message',
    'financialImpact',
  ),
  TransactionResult: object(
    {
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
      paymentMethod: method,
      poiReferenceId: text,
      posReferenceId: text,
      rrn: text,
      tipAmount: amount,
      totalAmount: amount,
      trace: count,
      tranStatus: statuses,
      tranType: kind,
      ...details,
    },
    ...Object.keys(details),
  ),
  TransactionPrintData: object(
    {
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
      paymentBrand: method,
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
      ...details,
    },
    ...Object.keys(details),
  ),
  Enquiry: {
    oneOf: [
      schemaReference('PosResponseA'),
      schemaReference('PosResponseB'),
      schemaReference('Settlement'),
      schemaReference('Processing'),
    ],
  },
  Processing: object(
    {
      ...identity,
      responseResult: { const: 'PROCESSING' },
      responseCode: { const: 11 },
      message: text,
      state: states,
      step,
    },
    'step',
  ),
  Cancelled: object({ ...identity, ...done, terminalTransactionId: text, message: text }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
