import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { bodyText, dropBody } from '../http/body.ts';
import type { Gate } from '../pairing/gate.ts';
import type { Access } from './access.ts';
import type { ApiParts, Handler } from './call.ts';
import { bodyRefused, clientFaultAnswer } from './client-fault.ts';
import { type ConnectionLimits, connectionLimits, Connections } from './connections.ts';
import { Door } from './door.ts';
import { DueAnswers } from './due-answers.ts';
import { admitted } from './admission.ts';
import { type Answer, bodyOf, errorAnswer, jsonHeaders } from './envelope.ts';
import { parseJson } from './json.ts';
import { OpenStreams } from './open-streams.ts';
import { pace } from './paced-socket.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import { Refusals } from './refusals.ts';
import { type Exchange, routes } from './routes.ts';
import { type TlsFront, tlsFront } from './tls-front.ts';
import { Turns } from './turns.ts';

/** How long a client may take, milliseconds. The answer may take as long as the customer does. */
export interface ClientTimeouts {
  readonly headersMs: number;
  /** Headers and body. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly idleMs: number;
  /** How often the two first are looked at. */
  readonly checkMs: number;
}

export const clientTimeouts: ClientTimeouts = { headersMs: 10_000, requestMs: 15_000, idleMs: 5_000, checkMs: 1_000 };

/** Of a body beyond the limit, so much is read and dropped. */
const drainBytesMax = 16 * 1024 * 1024;

export interface ApiServerOptions {
  readonly host: string;
  readonly port: number;
  readonly bodyBytesMax: number;
  readonly access: Access;
  readonly parts: ApiParts;
  readonly timeouts?: ClientTimeouts;
  /** Its key and certificate, where it speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Where only paired points of sale may call. */
  readonly gate?: Gate;
  readonly limits?: ConnectionLimits;
  /** Requests that wait for their answer on one connection. */
  readonly pipelinedMax?: number;
  /** Requests that are refused before anybody looks into them, on one connection. */
  readonly refusalsMax?: number;
  readonly headerBytesMax?: number;
  readonly onFailure: (error: unknown) => void;
}

export interface ApiServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens; rejects with the system's error (EADDRINUSE, EACCES) where it can't. */
export async function serveApi(options: ApiServerOptions): Promise<ApiServer> {
  const { headersMs, requestMs, idleMs, checkMs } = options.timeouts ?? clientTimeouts;
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: options.headerBytesMax ?? 16_384,
    // Access refuses it, in the envelope.
    requireHostHeader: false,
  };
  const front = options.tls && tlsFront({ ...limits, ...options.tls }, headersMs);
  const server: Server = front?.server ?? createServer(limits);
  server.timeout = 0;
  const due = new DueAnswers();
  const streams = new OpenStreams();
  const turns = new Turns();
  const pipelined = new PipelinedRequests(options.pipelinedMax ?? 16);
  const refusals = new Refusals(options.refusalsMax ?? 4, turns);
  const connectionsAllowed = options.limits ?? connectionLimits;
  const connections = new Connections(connectionsAllowed, (carried) => due.on(carried) || streams.on(carried));
  pace(server, front ? 'secureConnection' : 'connection', turns, (socket, carried) => {
    connections.carry(socket, carried);
    carried.once('end', () => {
      due.left();
      streams.left(carried);
    });
  });
  server.prependListener('connection', (socket: Socket) => connections.add(socket));
  // What `connections` closes counts until the round after.
  server.maxConnections = 2 * connectionsAllowed.connectionsMax;
  // No options of http.createServer, but read from the server: net.Server's own, and whether who has said all still gets an answer.
  const blockList = new Door(connectionsAllowed.newPerSecondMax);
  Object.assign(server, { blockList, httpAllowHalfOpen: true });
  server.on('request', (request, response) => {
    // Node takes it from a request that was destroyed.
    const { socket } = request;
    if (!pipelined.takes(request, response)) {
      socket.destroy();
      return;
    }
    // What is sent behind the request for a stream is never answered, and nothing waits for it.
    const isBehind = streams.on(socket);
    const onWhole = () => {
      if (!isBehind) due.add(response);
    };
    const onStream = () => streams.add(response);
    const refused = (answer: Answer) => refusals.next(socket, answer);
    answered(request, response, options, { onWhole, onStream, refused, turns })
      .catch((error: unknown) => {
        options.onFailure(error);
        return errorAnswer(500, 'ERROR', 'the terminal failed to handle the request: enquire');
      })
      .then((answer) => {
        // Nobody has read what it says, or reads on.
        if (!request.complete && !request.destroyed) dropBody(request, drainBytesMax);
        if (answer) send(response, answer, server.listening);
      })
      .catch(options.onFailure);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Behind a request whose answer is still due, a fault of the next one must not pass for that answer, nor for an event.
    if (!socket.writable || due.on(socket) || streams.on(socket)) socket.destroy();
    else socket.end(clientFaultAnswer(error.code), () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closed(server, due, streams, front) };
}

/** What becomes of a request: it has come in whole, and its answer is due; or its response is a stream from now on. */
interface Progress {
  readonly onWhole: () => void;
  readonly onStream: () => void;
  /** The answer, in its turn. */
  readonly refused: (answer: Answer) => Promise<Answer>;
  /** Waited for before the request is handled. */
  readonly turns: Turns;
}

/** Nothing where the response is a stream. */
async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiServerOptions,
  progress: Progress,
): Promise<Answer | undefined> {
  const { access } = options;
  const refusal = access.refusal(request);
  if (refusal) return progress.refused(errorAnswer(403, 'ERROR', refusal, { financialImpact: 'NONE' }));
  const headers = access.corsHeaders(request);
  const answer = await routed({ request, response, headers }, options, progress);
  return answer && { ...answer, headers: { ...answer.headers, ...headers } };
}

async function routed(
  exchange: Exchange,
  { parts, bodyBytesMax, gate }: ApiServerOptions,
  { onWhole, onStream, refused, turns }: Progress,
): Promise<Answer | undefined> {
  const { request, headers: cors } = exchange;
  const [path = ''] = (request.url ?? '').split('?');
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return refused(errorAnswer(404, 'NOT_FOUND', 'no such path', { financialImpact: 'NONE' }));
  const { method = '' } = request;
  if (method === 'OPTIONS' && cors['access-control-allow-origin'] !== undefined)
    return { status: 204, body: undefined };
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) {
    const allow = Object.keys(methods).join(', ');
    const answer = errorAnswer(405, 'INVALID_PARAMETER', `this path takes ${allow}`, { financialImpact: 'NONE' });
    return refused({ ...answer, headers: { allow } });
  }
  if (typeof handler === 'object') {
    if (gate) {
      // What is sent behind it meanwhile is behind a stream already.
      onStream();
      const admission = await admitted(gate, request, undefined);
      if ('refused' in admission) return { ...admission.refused, headers: { connection: 'close' } };
      if (exchange.response.writableEnded) return undefined;
    }
    const answer = handler.stream(exchange, parts);
    if (answer) onWhole();
    else onStream();
    return answer;
  }
  const text = method === 'GET' ? undefined : await bodyText(request, { bytesMax: bodyBytesMax, drainBytesMax });
  if (typeof text === 'object') return refused(bodyRefused(text.refused));
  onWhole();
  await turns.next();
  const admission = await admitted(gate, request, text);
  if ('refused' in admission) return refused(admission.refused);
  return admission.signed(await handled(handler, text, parts));
}

/** `text`: the body, none of a GET. */
async function handled(handler: Handler, text: string | undefined, parts: ApiParts): Promise<Answer> {
  if (text === undefined) return handler(undefined, parts);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return errorAnswer(400, 'INVALID_PARAMETER', 'the body is not JSON', { financialImpact: 'NONE' });
  }
  return handler(body, parts);
}

/** `more`: this connection may bring another request. */
function send(response: ServerResponse, { status, body, headers }: Answer, more: boolean): void {
  // The client hung up: the transaction went on without it, an enquiry tells.
  if (response.destroyed) return;
  const text = bodyOf(body);
  response.writeHead(status, {
    ...headers,
    ...(text === undefined ? {} : { ...jsonHeaders, 'content-length': Buffer.byteLength(text) }),
    ...(status === 413 || !more ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/**
 * Answers that are due still go out, and streams tell to the end what comes of them; what has not come in whole by then is
 * cut off, new connections are not taken.
 */
async function closed(server: Server, due: DueAnswers, streams: OpenStreams, front?: TlsFront): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await due.none();
  streams.end();
  server.closeAllConnections();
  front?.closeAll();
  await ended;
}
