import { printStatuses } from '../../base/domain/print-status.ts';
import {
  code,
  done,
  financialImpact,
  identity,
  type JsonSchema,
  object,
  printerFault,
  reason,
  schemaReference,
  text,
  why,
  whyKeys,
} from './openapi-schema.ts';

const device = object({ ready: { type: 'boolean' }, reason, message: text }, 'reason', 'message');

/** Of capabilities. */
export const counterDevices = {
  ...object({ print: device, drawer: device, display: device }),
  description: 'what a till can do with the devices of the counter now',
};

const notSuccess = { message: text, financialImpact, ...why };

/** Schemas of the answers about printer, drawer and idle screen, by name. */
export const counterSchemas = {
  PrintAnswer: object(
    {
      ...identity,
      responseResult: { enum: ['SUCCESS', 'PROCESSING', 'ERROR'] },
      responseCode: code,
      printStatus: {
        enum: printStatuses,
        description:
          'WAITING: it is kept, and printed as soon as the printer can. NOT_PRINTED: it is not kept; some of it may be on paper',
      },
      printFault: { ...printerFault, description: 'why it is not printed; absent while the printer is at work' },
      ...notSuccess,
    },
    'printFault',
    'message',
    'financialImpact',
    ...whyKeys,
  ),
  ReportNotPrinted: { anyOf: ['PrintAnswer', 'Fault'].map(schemaReference) },
  DisplayAnswer: object(
    {
      ...identity,
      ...done,
      displayStatus: {
        enum: ['SHOWN', 'WAITING', 'CLEARED'],
        description: 'WAITING: behind the outcome of a payment. CLEARED: nothing of this till is shown',
      },
    },
    'messageId',
  ),
  DrawerAnswer: object(
    {
      ...identity,
      ...done,
      cashierId: text,
      printFault: { ...printerFault, description: 'with one, a printer may give the pulse late, or never' },
    },
    'cashierId',
    'printFault',
  ),
} as const satisfies Readonly<Record<string, JsonSchema>>;
