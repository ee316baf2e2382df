import type {
  CustomerMatterEvent,
  ExtraPaymentEvent,
  ReceiptEvent,
  TerminalEvent,
} from '../../payment/contracts/terminal-events.ts';
import type { ResetReason } from './event-stream.ts';
import {
  all,
  identity,
  type JsonSchema,
  object,
  printerFault,
  runningStates,
  schemaReference,
  step,
  text,
} from './openapi-schema.ts';

const instant = { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$' };

/** Schemas of the event stream, by name. */
export const eventSchemas = {
  EventStream: {
    anyOf: [
      schemaReference('TerminalEvent'),
      schemaReference('ReceiptEvent'),
      schemaReference('ExtraPaymentEvent'),
      schemaReference('CustomerMatterEvent'),
      schemaReference('EventReset'),
    ],
    description:
      'The data of each event. `event: state` is a TerminalEvent, `event: receipt` a ReceiptEvent, ' +
      '`event: extraPayment` an ExtraPaymentEvent, `event: customerMatter` a CustomerMatterEvent; Last-Event-ID continues after its id. ' +
      'A client without one gets the present state first. `event: reset` says that the missed events are not known ' +
      'any more; the present state follows. A comment every 15 s keeps the connection alive.',
  },
  TerminalEvent: object(
    {
      state: all<TerminalEvent['state']>({
        ...runningStates,
        approved: true,
        declined: true,
        error: true,
        idle: true,
      }),
      step,
      hint: { type: 'string', description: 'a hint for the customer, as a code: removeCard' },
      ...identity,
      terminalTransactionId: text,
      merchantId: text,
      at: instant,
    },
    'step',
    'hint',
    'posId',
    'messageId',
    'terminalTransactionId',
    'merchantId',
  ),
  ReceiptEvent: object(
    {
      ...identity,
      terminalTransactionId: text,
      receiptStatus: { enum: ['PRINTED', 'WAITING'] satisfies ReceiptEvent['receiptStatus'][] },
      receiptFault: printerFault,
      at: instant,
    },
    'receiptFault',
  ),
  ExtraPaymentEvent: {
    ...object({
      ...identity,
      terminalTransactionId: text,
      extraPayment: object({
        paymentMethod: text,
        amount: { type: 'number' },
        currency: text,
        state: all<ExtraPaymentEvent['extraPayment']['state']>({
          TO_BE_RETURNED: true,
          BEING_RETURNED: true,
          RETURNED: true,
        }),
        terminalTransactionId: text,
      }),
      at: instant,
    }),
    description: 'an extra or late payment by a shown code was found or given back; the fields are those of an enquiry',
  },
  CustomerMatterEvent: {
    ...object({
      ...identity,
      terminalTransactionId: text,
      customerMatter: object({
        kind: all<CustomerMatterEvent['customerMatter']['kind']>({
          REFUND_OF_REVERSED: true,
          COUNTED_LATE: true,
          REVERSED_LATE: true,
          REVERSED_AFTER_SETTLEMENT: true,
          CASH_NOT_GIVEN: true,
        }),
        transactionType: text,
        paymentMethod: text,
        amount: { type: 'number' },
        currency: text,
        state: all<CustomerMatterEvent['customerMatter']['state']>({ OPEN: true, SETTLED: true }),
        terminalTransactionId: text,
      }),
      at: instant,
    }),
    description:
      'late evidence has left something to be settled with the customer, or the operator has settled it; the fields are those of an enquiry',
  },
  EventReset: object({ reason: all<ResetReason>({ restarted: true, 'too-old': true }) }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
