import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Access } from './access.ts';
import { type BodyRefusal, bodyText } from './body.ts';
import { type Answer, errorAnswer } from './envelope.ts';
import { parseJson } from './json.ts';
import { type ApiParts, routes } from './routes.ts';

export interface ApiServerOptions {
  readonly host: string;
  readonly port: number;
  readonly bodyBytesMax: number;
  readonly access: Access;
  readonly parts: ApiParts;
  readonly onFailure: (error: unknown) => void;
}

export interface ApiServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens; rejects with the system's error (EADDRINUSE, EACCES) where it can't. */
export async function serveApi(options: ApiServerOptions): Promise<ApiServer> {
  const server = createServer({
    // A request must come in whole within these; the answer may take as long as the customer does.
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
  });
  server.timeout = 0;
  server.maxConnections = 512;
  server.on('request', (request, response) => {
    answered(request, options)
      .catch((error: unknown) => {
        options.onFailure(error);
        return errorAnswer(500, 'ERROR', 'the terminal failed to handle the request: enquire');
      })
      .then((answer) => send(response, answer))
      .catch(options.onFailure);
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

async function answered(request: IncomingMessage, options: ApiServerOptions): Promise<Answer> {
  const { access } = options;
  const refusal = access.refusal(request);
  if (refusal) return errorAnswer(403, 'ERROR', refusal, { financialImpact: 'NONE' });
  const cors = access.corsHeaders(request);
  const answer = await routed(request, options, cors);
  return { ...answer, headers: { ...answer.headers, ...cors } };
}

async function routed(
  request: IncomingMessage,
  { parts, bodyBytesMax }: ApiServerOptions,
  cors: Record<string, string>,
): Promise<Answer> {
  const [path = ''] = (request.url ?? '').split('?');
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return errorAnswer(404, 'NOT_FOUND', 'no such path');
  const { method = '' } = request;
  if (method === 'OPTIONS' && cors['access-control-allow-origin'] !== undefined)
    return { status: 204, body: undefined };
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) {
    const allow = Object.keys(methods).join(', ');
    return { ...errorAnswer(405, 'INVALID_PARAMETER', `this path takes ${allow}`), headers: { allow } };
  }
  if (method === 'GET') return handler(undefined, parts);
  const text = await bodyText(request, bodyBytesMax);
  if (typeof text !== 'string') return bodyRefused(text.refused);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return errorAnswer(400, 'INVALID_PARAMETER', 'the body is not JSON', { financialImpact: 'NONE' });
  }
  return handler(body, parts);
}

function bodyRefused(refused: BodyRefusal): Answer {
  const nothing = { financialImpact: 'NONE' } as const;
  switch (refused) {
    case 'too-large':
      return errorAnswer(413, 'INVALID_PARAMETER', 'the body is too large', nothing);
    case 'not-json-type':
      return errorAnswer(415, 'INVALID_PARAMETER', 'the Content-Type must be application/json', nothing);
    case 'not-utf8':
      return errorAnswer(400, 'INVALID_PARAMETER', 'the body is not UTF-8', nothing);
    case 'aborted':
      return errorAnswer(400, 'INVALID_PARAMETER', 'the body ended early', nothing);
    default:
      return refused satisfies never;
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  // The client hung up: the transaction went on without it, an enquiry tells.
  if (response.destroyed) return;
  const text = body === undefined ? '' : JSON.stringify(body);
  const unread = status === 413 || status === 415;
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...(unread ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/** Answers that are due still go out; idle connections are closed at once, and new ones are not taken. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
