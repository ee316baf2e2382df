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

const kindTotals = list(
  object({ transactionType: text, currency: text, count: { type: 'integer' }, totalAmount: { type: 'number' } }),
);
const groupTotals = list(
  object({
    name: text,
    currency: text,
    salesCount: { type: 'integer' },
    salesAmount: { type: 'number' },
    refundsCount: { type: 'integer' },
    refundsAmount: { type: 'number' },
    tipAmount: { type: 'number', description: 'part of the sales' },
    finalAmount: {
      type: 'number',
      description: 'part of the sales: those whose tip was adjusted, and completions, with what was charged in the end',
    },
    refundedAmount: { type: 'number', description: 'what refunds of the same batch have given back of the sales' },
  }),
);

/** Schemas of lists and reports, by name. */
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
  Report: object(
    {
      ...done,
      batches: list(
        object(
          {
            acquirer: text,
            merchantId: { type: 'string', description: 'the merchant that has this acquirer' },
            batch: { type: 'integer' },
            isOpen: { type: 'boolean', description: 'it takes the present payments' },
            totals: kindTotals,
            openAuths: { ...kindTotals, description: 'auths that still hold a customer’s money' },
            voids: { ...kindTotals, description: 'what they voided is in no sum' },
            unresolved: {
              ...kindTotals,
              description: 'of the open batch: transactions without a known outcome, in no sum',
            },
            unreadable: { type: 'integer', description: 'transactions that can’t be read: they are in no sum' },
          },
          'merchantId',
        ),
      ),
      total: { ...groupTotals, description: 'all of a currency; the name is empty' },
      method: { ...groupTotals, description: 'by kind of means: card, eps, wallet, octopus, cash' },
      paymentMethod: groupTotals,
      posId: groupTotals,
      merchantId: { ...groupTotals, description: 'by the id of the merchant; absent without merchants' },
      cashierId: { ...groupTotals, description: 'an empty name: transactions without one' },
      options: {
        ...list(object({ name: text, currency: text, count: { type: 'integer' }, amount: { type: 'number' } })),
        description: 'what sale options have added, part of the sales: by name; absent without one',
      },
      cashBack: {
        ...list(object({ currency: text, count: { type: 'integer' }, amount: { type: 'number' } })),
        description: 'cash that customers were given out of their payments',
      },
      cash: {
        ...list(object({ currency: text, amount: { type: 'number' } })),
        description:
          'what these batches have put into the drawer: cash sales less refunds, cash back, and what the operator has given back in cash',
      },
      drawerSales: {
        type: 'integer',
        description:
          'how often the drawer was opened by a sale: once by each cash sale; 0 without a printer, which opens it',
      },
      drawerOpenings: {
        ...list(object({ posId: text, cashierId: text, count: { type: 'integer' } }, 'cashierId')),
        description: 'how often the drawer was opened without a sale, and by whom; OPERATOR: in the terminal’s menu',
      },
      csv: { type: 'string', description: 'with format=csv: the sums as RFC 4180' },
      onlyMerchantId: { type: 'string', description: 'as asked for: the sums are of this merchant alone' },
      onlyPosId: {
        type: 'string',
        description: 'set for a paired POS without the right reportAll: everything is of this POS alone',
      },
    },
    'merchantId',
    'options',
    'csv',
    'onlyMerchantId',
    'onlyPosId',
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
