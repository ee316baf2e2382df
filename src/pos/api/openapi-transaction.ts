import { clockDoubts } from '../../base/domain/clock-doubt.ts';
import { accounts } from '../../base/domain/account.ts';
import { describedCodes } from '../../payment/method/descriptions.ts';
import { receiptStatuses } from '../../base/domain/receipt-status.ts';
import {
  amount,
  code,
  codes,
  count,
  done,
  financialImpact,
  identity,
  type JsonSchema,
  hostCode,
  kind,
  list,
  schemaReference,
  object,
  openCodes,
  printerFault,
  responseResult,
  states,
  step,
  text,
  timestamp,
  why,
} from './openapi-schema.ts';
import { matterNames, matterStates, extraStates } from './pos-response.ts';
import { presentStatuses } from './present-statuses.ts';

const statuses = { enum: presentStatuses };
const slip = { ...list(text), description: 'lines of text, empty if nothing was sent for authorization' };
/** Empty if nothing was presented. */
const entryMode = codes(() => ['', ...describedCodes().entryModes]);
const method = openCodes(() => ['', ...describedCodes().schemes]);
const clockDoubt = {
  enum: clockDoubts,
  description:
    'the times of this transaction may be wrong: no time server had set the clock, or it was before this build',
};
const common = {
  ...identity,
  responseResult,
  terminalTransactionId: text,
  receiptStatus: { enum: receiptStatuses, description: 'WAITING: printed as soon as the printer can' },
};
/** As in the request; absent if it had none. */
const posDetails = { cashierId: text, shiftId: text, posReference: text };
const merchantId = { type: 'string', description: 'the merchant that is paid; absent on a terminal without merchants' };
/** Present only if they apply. */
const refusal = {
  merchantId,
  splitOf: { type: 'string', description: 'as in the request: the payment whose rest this one pays' },
  ...posDetails,
  receiptFault: printerFault,
  clockDoubt,
  message: text,
  financialImpact,
  ...why,
  hostCode,
  extraPayments: {
    ...list(
      object({
        paymentMethod: method,
        amount,
        currency: text,
        state: { enum: Object.values(extraStates) },
        terminalTransactionId: text,
      }),
    ),
    description:
      'further payments of the customer by a code that was shown before. TO_BE_RETURNED: the wallet can’t refund it, ' +
      'so the shop must give it back; BEING_RETURNED: the terminal refunds it',
  },
  customerMatters: {
    ...list(
      object({
        kind: { enum: Object.values(matterNames) },
        transactionType: kind,
        paymentMethod: method,
        amount,
        currency: text,
        state: { enum: Object.values(matterStates) },
        terminalTransactionId: text,
      }),
    ),
    description:
      'what late evidence has left to be settled with the customer. REFUND_OF_REVERSED: a refund stands, and its payment ' +
      'was reversed as well; COUNTED_LATE: it counts, after it had ended without success; REVERSED_LATE: its host reversed ' +
      'it, after the bank had confirmed it; REVERSED_AFTER_SETTLEMENT: the same, after a settled batch had counted it; ' +
      'CASH_NOT_GIVEN: only the bank has confirmed it, and its cash back was not handed out. ' +
      'SETTLED: the operator has settled it',
  },
};

/** Fields of some transactions only; absent for others. */
const details = {
  finalAmount: {
    type: 'number',
    description:
      'of a sale whose tip was adjusted, and of an authorization that was completed: what was charged in the end, major units; totalAmount stays what was authorized',
  },
  requestedAmount: {
    type: 'number',
    description:
      'of a sale that was approved in part: what was asked for, major units; totalAmount is what was approved',
  },
  remainingAmount: { type: 'number', description: 'the same: what is left to pay, by a request with splitOf' },
  refundedAmount: {
    type: 'number',
    description:
      'the sum of its refunds that stand, and of what the operator gave back in cash, major units; ' +
      'absent if there is none. PARTIALLY_REFUNDED: less than was charged, REFUNDED: all of it',
  },
  options: {
    type: 'array',
    items: {
      type: 'object',
      properties: { name: { type: 'string' }, amount: { type: 'number' } },
      required: ['name', 'amount'],
      additionalProperties: true,
    },
    description:
      'the answers to questions of sale options: the name of the option, what it has added to totalAmount in major units, and fields of its own',
  },
  account: { enum: accounts, description: 'EPS: the account that the customer paid from' },
  balanceAmount: { type: 'number', description: 'Octopus: the balance of the card, major units; may be negative' },
  cashbackAmount: { type: 'number', description: 'EPS: the cash within totalAmount, major units' },
  changeAmount: { type: 'number', description: 'cash: the change for the customer, major units' },
  refundRrn: {
    type: 'string',
    description: 'QR: the provider’s number of the refund that gave back a payment whose outcome was not known',
  },
  tenderedAmount: { type: 'number', description: 'cash: the amount tendered, major units' },
  walletTransactionId: { type: 'string', description: 'QR: the order number that the customer’s phone shows' },
};

/** Schemas of a transaction in the answers to payment, enquiry and cancel (SPEC §2.2 to 2.4), by name. */
export const transactionSchemas = {
  PosResponse: { oneOf: [schemaReference('PosResponseA'), schemaReference('PosResponseB')] },
  PosResponseA: object(
    { ...common, ...refusal, responseCode: code, transactionResult: schemaReference('TransactionResult') },
    ...Object.keys(refusal),
  ),
  PosResponseB: object(
    { ...common, ...refusal, transactionPrintData: schemaReference('TransactionPrintData') },
    ...Object.keys(refusal),
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
      hostCode,
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
      acquirerId: text,
      acquirerMid: text,
      acquirerTid: text,
      approvalCode: text,
      authenticationMethod: text,
      batch: count,
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
      customerSlip: slip,
      dateTime: timestamp,
      entryMode,
      hostCode,
      invoice: count,
      merchantSlip: slip,
      originalTerminalTransactionId: text,
      paymentBrand: method,
      paymentInstrumentType: text,
      posReferenceId: text,
      rrn: text,
      shopAddress: text,
      shopEmail: text,
      shopLogo: { type: 'string', description: 'a data: URL of a PNG picture; empty for none' },
      shopName: text,
      shopPhone: text,
      tipAmount: amount,
      totalAmount: amount,
      trace: count,
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
      financialImpact,
      ...why,
      state: states,
      step,
      merchantId,
      terminalTransactionId: text,
    },
    'step',
    'merchantId',
    'terminalTransactionId',
  ),
  Cancelled: object({ ...identity, ...done, terminalTransactionId: text, message: text, financialImpact }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
