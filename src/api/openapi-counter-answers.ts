import { printStatuses } from '../domain/print-status.ts';
import {
  code,
  financialImpact,
  identity,
  type JsonSchema,
  object,
  printerFault,
  text,
  why,
  whyKeys,
} from './openapi-schema.ts';

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
} as const satisfies Readonly<Record<string, JsonSchema>>;
