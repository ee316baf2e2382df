import { z } from 'zod';
import { eventsQuery } from './event-stream.ts';
import type { JsonSchema } from './openapi-schema.ts';
import { pairingRequest, revealRequest } from './pairing.ts';
import { identitySchema, posRequest } from './pos-request.ts';
import { receiptRequest } from './receipt.ts';
import { settlementRequest } from './settlement.ts';

/** The bodies of requests, by the name of their schema: what they are checked with. */
export const requestSchemas = {
  /** Read when the document is served: it has the codes of all methods. */
  get PosRequest() {
    return requestSchema(posRequest);
  },
  Identity: requestSchema(identitySchema),
  SettlementRequest: requestSchema(settlementRequest),
  ReceiptRequest: requestSchema(receiptRequest),
  PairingRequest: requestSchema(pairingRequest),
  RevealRequest: requestSchema(revealRequest),
};

/** What may stand beside the path of GET /sp/v1/events. */
export const eventsParameters = [
  ...Object.entries(queryProperties()).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  })),
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'the id of the last event that came: what was missed since comes first',
    schema: { type: 'string' },
  },
];

function queryProperties(): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = z.toJSONSchema(eventsQuery, { io: 'input' });
  return properties as Readonly<Record<string, JsonSchema>>;
}

/** The schema that the request is checked with, as JSON Schema 2020-12: a JsonNumber is a number on the wire. */
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

/** Where a field is not used, the sample requests of the interface carry an empty string. */
function orAbsent({ description, ...schema }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), anyOf: [schema, { enum: ['', null] }] };
}
