import {
  done,
  financialImpact,
  identity,
  type JsonSchema,
  list,
  object,
  schemaReference,
  text,
  why,
} from './openapi-schema.ts';

/** Schemas of lists, by name. */
export const listSchemas = {
  TransactionList: object(
    {
      ...done,
      transactions: {
        ...list({
          anyOf: ['PosResponseA', 'Processing', 'ListedFault'].map(schemaReference),
        }),
        description: 'as an enquiry tells each, always in shape A',
      },
      nextCursor: { type: 'string', description: 'cursor of the next page; absent at the end, unless order is oldest' },
    },
    'nextCursor',
  ),
  ListedFault: {
    ...object({
      ...identity,
      terminalTransactionId: text,
      responseResult: { const: 'DATABASE_ERROR' },
      responseCode: { const: 6 },
      message: text,
      financialImpact,
      ...why,
    }),
    description: 'its record, or the archive that it is in, can’t be read',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;
