import * as z from 'zod';
import { displayRequest } from './display.ts';
import { drawerRequest } from './drawer.ts';
import { eventsQuery } from './events-query.ts';
import type { JsonSchema } from './openapi-schema.ts';
import { pairingRequest, revealRequest } from './pairing.ts';
import { enquirySchema, identitySchema, posRequest } from './pos-request.ts';
import { printRequest } from './print.ts';
import { receiptRequest } from './receipt.ts';
import { reportPrintRequest } from './report-print.ts';
import { reportQuery } from './report.ts';
import { settlementRequest } from './settlement.ts';
import { transactionsQuery } from './transactions.ts';

/** The request schemas by name. Requests are checked with them. */
export const requestSchemas = {
  /** Built when the document is served, because it contains the codes of all methods. */
  get PosRequest() {
    return requestSchema(posRequest);
  },
  Identity: requestSchema(identitySchema),
  EnquiryRequest: requestSchema(enquirySchema),
  SettlementRequest: requestSchema(settlementRequest),
  ReceiptRequest: requestSchema(receiptRequest),
  DisplayRequest: requestSchema(displayRequest),
  DrawerRequest: requestSchema(drawerRequest),
  ReportPrintRequest: requestSchema(reportPrintRequest),
  PrintRequest: requestSchema(printRequest),
  PairingRequest: requestSchema(pairingRequest),
  RevealRequest: requestSchema(revealRequest),
};

/** The parameters of GET /sp/v1/transactions. */
export const transactionsParameters = queryParameters(transactionsQuery);

/** The parameters of GET /sp/v1/report. */
export const reportParameters = queryParameters(reportQuery);

/** The parameters of GET /sp/v1/events. */
export const eventsParameters = [
  ...queryParameters(eventsQuery),
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'the id of the last event received: the events missed since then are sent first',
    schema: { type: 'string' },
  },
];

function queryParameters(query: z.ZodObject) {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  const entries = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return entries.map(([name, { description, ...schema }]) => {
    return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema };
  });
}

/** The zod schema of a request as JSON Schema 2020-12. A JsonNumber is a number on the wire. */
function requestSchema(schema: z.ZodObject): JsonSchema {
  const {
    $schema: _dialect,
    properties = {},
    ...rest
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'number';
    },
  });
  const required = new Set(rest.required);
  const stated = Object.entries(properties).map(([name, property]) => [
    name,
    required.has(name) ? property : orAbsent(property as JsonSchema),
  ]);
  return { ...rest, properties: Object.fromEntries(stated) as JsonSchema };
}

/**
 * An optional field may be empty or null: the sample requests of the interface carry empty strings for unused fields.
 */
function orAbsent({ description, ...schema }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), anyOf: [schema, { enum: ['', null] }] };
}
