import type { answerSchemas } from './openapi-answers.ts';
import type { requestSchemas } from './openapi-requests.ts';
import type { JsonSchema } from './openapi-schema.ts';
import { answerSignature, noSecurity } from './openapi-security.ts';
import { type OperationId, tagsOf } from './openapi-tags.ts';

/** The possible answers of a call: a description and the schema of the body, by HTTP status. */
export type Answers = Readonly<Record<number, readonly [description: string, schema: keyof typeof answerSchemas]>>;

/** Answers of any call: to refused access, to malformed HTTP, and after internal faults. */
const always: Answers = {
  400: ['the request is not HTTP, or not HTTPS where the terminal requires it', 'Fault'],
  403: ['this network, Host or Origin may not call, or not for this posId', 'Fault'],
  408: ['the request did not arrive in time', 'Fault'],
  417: ['the terminal knows no Expect header but 100-continue', 'Fault'],
  421: ['the target names another scheme than that of the connection', 'Fault'],
  431: ['the headers are too large', 'Fault'],
  500: ['the terminal failed to handle the request: enquire', 'Fault'],
};

/** Answer of a call that must be signed where pairing is required. */
const unsigned: Answers = {
  401: ['if pairing is required: no valid signature of a paired POS', 'Fault'],
  429: ['if pairing is required: this POS has made more than its 2,000 calls of 65 seconds', 'Fault'],
};

/** Answers of any call with a body. */
export const withBody: Answers = {
  400: ['the body is malformed: errors[] says where', 'Fault'],
  413: ['the body is too large', 'Fault'],
  415: ['the Content-Type is not application/json in UTF-8, or the body has a Content-Encoding', 'Fault'],
  501: ['the Transfer-Encoding is more than chunked', 'Fault'],
};

/** The headers of the answer to a signed call. */
const signed = Object.fromEntries(
  Object.keys(answerSignature).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Statuses of answers that are given before the key is known. */
const unsignedStatuses: ReadonlySet<string> = new Set(['401', '408', '413', '415', '417', '421', '431', '501']);

/** Calls without a signature: pairing itself, and the description of the interface (admission.ts). */
const openOperations: ReadonlySet<OperationId> = new Set(['pairing', 'reveal', 'openapi', 'docs', 'client']);

/** One answer of an operation. */
interface Response {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** One call of the interface. */
export function operation(
  operationId: OperationId,
  summary: string,
  request: keyof typeof requestSchemas | undefined,
  answers: Answers,
) {
  const isOpen = openOperations.has(operationId);
  const isSigned = !isOpen && operationId !== 'events';
  const all = { ...always, ...(isOpen ? {} : unsigned), ...answers };
  const responses = Object.entries(all).map(([status, [description, schema]]) => [
    status,
    {
      description,
      ...(isSigned && !unsignedStatuses.has(status) ? { headers: signed } : {}),
      content: content(schema),
    },
  ]);
  return {
    operationId,
    summary,
    tags: tagsOf(operationId),
    ...(isOpen ? { security: noSecurity } : {}),
    ...(request === undefined ? {} : { requestBody: { required: true, content: content(request) } }),
    responses: Object.fromEntries(responses) as Readonly<Record<string, Response>>,
  };
}

/** Media type → its schema. */
export type Content = Readonly<Record<string, { readonly schema: object }>>;

export function content(schema: string, type = 'application/json') {
  return { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } };
}
