import { answerSchemas } from './openapi-answers.ts';
import { counterPaths } from './openapi-counter.ts';
import { type Answers, type Content, content, operation, withBody } from './openapi-operation.ts';
import { eventsParameters, reportParameters, requestSchemas, transactionsParameters } from './openapi-requests.ts';
import { answerSignature, security, securitySchemes } from './openapi-security.ts';
import { type OperationId, tags } from './openapi-tags.ts';

/** The contract of this interface: OpenAPI 3.1.0 (spec.openapis.org/oas/v3.1.0), served by GET /openapi.json. */
export const openApi = {
  openapi: '3.1.0',
  info: {
    title: 'Terminal Payment Request Interface',
    version: '1',
    description:
      'A POS requests payments from the terminal over HTTP on the local network. responseResult is SUCCESS only if the ' +
      'customer has paid; every other answer of a transaction tells in financialImpact where the money is. Another path is ' +
      'answered 404, another method 405, both with a Fault. Web pages of configured origins may call: OPTIONS answers them 204.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [
    { url: '/', description: 'the terminal that serves this document' },
    {
      url: '{scheme}://{terminal}:{port}',
      description: 'a terminal on the shop’s network',
      variables: {
        scheme: { enum: ['http', 'https'], default: 'http', description: 'https where http.tls is configured' },
        terminal: { default: '192.168.1.5', description: 'its address or name' },
        port: { default: '8080' },
      },
    },
  ],
  tags,
  security,
  paths: {
    '/sp/v1/payment': {
      post: operation('payment', 'Runs a transaction, and answers when it is over', 'PosRequest', {
        ...withBody,
        200: ['the transaction ended, whatever its outcome', 'PosResponse'],
        409: ['the terminal is busy, or the messageId names another request', 'Fault'],
        422: ['not possible here, or not with this original: possible[] lists the possible kinds', 'Fault'],
        503: ['the terminal is not ready, or its journal failed', 'Fault'],
      }),
    },
    '/sp/v1/enquiry': {
      post: operation('enquiry', 'The present state of a payment or a settlement', 'EnquiryRequest', {
        ...withBody,
        200: ['how it ended and its present state, or PROCESSING', 'Enquiry'],
        404: ['no transaction or settlement has this identity', 'Fault'],
        503: ['it is in an archive of the journal that is missing or damaged: message names the file', 'Fault'],
      }),
    },
    '/sp/v1/cancel': {
      post: operation('cancel', 'Cancels a payment that collects; answers once the terminal is idle', 'Identity', {
        ...withBody,
        200: ['cancelled', 'Cancelled'],
        404: ['no transaction has this posId and messageId', 'Fault'],
        409: ['too late: state, or the outcome in transaction; or a settlement', 'Fault'],
        503: ['it is in an archive of the journal that is missing or damaged: message names the file', 'Fault'],
      }),
    },
    '/sp/v1/settlement': {
      post: operation('settlement', 'Closes the open batch of one acquirer, or of all', 'SettlementRequest', {
        ...withBody,
        200: ['every batch and how it ended; ERROR when one stays open', 'Settlement'],
        409: ['the terminal is busy, or the messageId names another request', 'Fault'],
        422: ['this terminal has no such acquirer', 'Fault'],
        503: ['the terminal is stopping, or its journal failed', 'Fault'],
      }),
    },
    '/sp/v1/receipt': {
      post: operation('receipt', 'Prints an earlier receipt again, or returns it', 'ReceiptRequest', {
        ...withBody,
        200: ['printed, or the receipt in the requested form', 'Receipt'],
        404: ['there is no such transaction', 'Fault'],
        409: ['the transaction is under way', 'Fault'],
        422: ['this transaction has no receipt, or it is a settlement', 'Fault'],
        503: ['the printer could not print it, or its archive is missing or damaged', 'Fault'],
      }),
    },
    '/sp/v1/transactions': {
      get: {
        ...operation('transactions', 'What the journal has, in pages', undefined, {
          200: ['a page; nextCursor leads to the next one', 'TransactionList'],
          400: ['the query is malformed: errors[] says where', 'Fault'],
          422: ['no such acquirer', 'Fault'],
          503: ['too many callers wait for lists and reports', 'Fault'],
        }),
        parameters: transactionsParameters,
      },
    },
    '/sp/v1/report': {
      get: {
        ...operation('report', 'What the open batches hold, or a batch held, without closing it', undefined, {
          200: ['sums by method, POS and cashier', 'Report'],
          400: ['the query is malformed: errors[] says where', 'Fault'],
          404: ['nothing is in a batch of this number', 'Fault'],
          422: ['no such acquirer', 'Fault'],
          503: ['too many callers wait for lists and reports', 'Fault'],
        }),
        parameters: reportParameters,
      },
    },
    ...counterPaths,
    '/sp/v1/status': {
      get: operation('status', 'The state of the terminal', undefined, { 200: ['now', 'Status'] }),
    },
    '/sp/v1/capabilities': {
      get: operation('capabilities', 'Methods × kinds that this terminal can do now', undefined, {
        200: ['by method', 'Capabilities'],
      }),
    },
    '/sp/v1/events': {
      get: eventsOperation(),
    },
    '/sp/v1/pairing': {
      post: operation('pairing', 'Begins to pair a POS, while the operator has opened pairing', 'PairingRequest', {
        ...withBody,
        200: ['the terminal’s half', 'Pairing'],
        409: ['pairing is not open, or another pairing is under way', 'Fault'],
      }),
    },
    '/sp/v1/pairing/reveal': {
      post: operation(
        'reveal',
        'Shows the code on the terminal; answers when the operator has decided',
        'RevealRequest',
        {
          ...withBody,
          200: ['paired', 'Paired'],
          409: ['not paired', 'Fault'],
        },
      ),
    },
    '/openapi.json': {
      get: fileOperation('openapi', 'This document', content('Document')),
    },
    '/docs': {
      get: fileOperation('docs', 'This document as a page', textContent('text/html')),
    },
    '/client.js': {
      get: fileOperation(
        'client',
        'A till’s side of this interface, a module for browsers',
        textContent('text/javascript'),
        {
          404: ['a terminal that runs from sources, in which it was not built', 'Fault'],
        },
      ),
    },
  },
  components: {
    get schemas() {
      return { ...requestSchemas, ...answerSchemas };
    },
    headers: answerSignature,
    securitySchemes,
  },
} as const;

/** The answer is an endless stream; only its refusal is JSON. */
function eventsOperation() {
  const { responses, ...rest } = operation('events', 'Every change of state, as server-sent events', undefined, {
    400: ['the query is malformed: errors[] says where', 'Fault'],
    503: ['too many clients are watching', 'Fault'],
  });
  const stream = {
    description: 'the events, until either side closes',
    content: content('EventStream', 'text/event-stream'),
  };
  return { ...rest, parameters: eventsParameters, responses: { 200: stream, ...responses } };
}

/** A file, with the tag of its bytes. */
function fileOperation(operationId: OperationId, summary: string, file: Content, answers: Answers = {}) {
  const { responses, ...rest } = operation(operationId, summary, undefined, answers);
  const whole = { description: 'with an ETag', content: file };
  const unchanged = { description: 'the same as that of If-None-Match', content: {} };
  return { ...rest, responses: { 200: whole, 304: unchanged, ...responses } };
}

function textContent(type: string): Content {
  return { [type]: { schema: { type: 'string' } } };
}
