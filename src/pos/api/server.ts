import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dropBody } from '../../base/http/body.ts';
import { type MonotonicClock, systemClock } from '../../base/ports/clock.ts';
import { answerRequest, type AnsweringParts, drainBytesMax, type Progress, send } from './answering.ts';
import { clientFaultAnswer } from './client-fault.ts';
import {
  type ConnectionLimits,
  connectionLimits,
  Connections,
  type ConnectionUse,
} from '../../base/http/connections.ts';
import { ConnectionRateLimiter } from './connection-rate-limiter.ts';
import { DueAnswers } from '../../base/http/due-answers.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { OpenStreams } from './event-stream.ts';
import { pace, PacedSocket } from '../../base/http/paced-socket.ts';
import { type TlsFront, tlsFront } from './tls-front.ts';
import { LateRequests } from '../../base/http/late-requests.ts';
import { Turns } from '../../base/http/turns.ts';
import { PipelinedRequests } from '../../base/http/pipelined-requests.ts';
import type { Duplex } from 'node:stream';

/**
 * Answers requests that are refused before they are examined: an unknown path, a caller without a key. A connection
 * gets a limited number of them and is closed with the last, so that an attacker needs new connections, whose rate is
 * limited.
 */
class Refusals {
  readonly #most: number;
  readonly #turns: Turns;
  readonly #counts = new WeakMap<Duplex, number>();

  constructor(most: number, turns: Turns) {
    this.#most = most;
    this.#turns = turns;
  }

  /** `caller`: the address of the client. */
  async next(socket: Duplex, caller: string, answer: Answer): Promise<Answer> {
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    await this.#turns.next(caller);
    return count < this.#most ? answer : { ...answer, headers: { ...answer.headers, connection: 'close' } };
  }
}

/** Time limits for clients, milliseconds. An answer may be prepared for as long as the customer takes. */
export interface ClientTimeouts {
  readonly headersMs: number;
  /** Headers and body. */
  readonly requestMs: number;
  /** Between two requests of one connection. */
  readonly idleMs: number;
  /** While an answer is sent, and its client reads nothing. */
  readonly unreadMs: number;
  /** How often the first two limits are checked. */
  readonly checkMs: number;
}

export const clientTimeouts: ClientTimeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 5_000,
  unreadMs: 15_000,
  checkMs: 1_000,
};

/** How a protocol over HTTP answers. */
export interface HttpAnswers {
  /** Undefined if the response is a stream. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    progress: Progress,
  ) => Promise<Answer | undefined>;
  /** Where `answer` rejects. */
  readonly failed: Answer;
  /** To an Expect that is not 100-continue. */
  readonly unexpected: Answer;
  /** A whole answer for an error code of Node's HTTP parser, or our own: see `clientFaultAnswer`. */
  readonly fault: (code: string | undefined) => string;
}

export interface HttpServerOptions extends HttpAnswers {
  readonly host: string;
  readonly port: number;
  readonly timeouts?: ClientTimeouts;
  /** Measures `unreadMs`. */
  readonly clock?: MonotonicClock;
  /** Key and certificate, for HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly limits?: ConnectionLimits;
  /** Maximum number of requests that wait for their answer on one connection. */
  readonly pipelinedMax?: number;
  /** Maximum number of refused requests on one connection. */
  readonly refusalsMax?: number;
  readonly headerBytesMax?: number;
  /** In which order the requests of all clients are read and handled. */
  readonly turns?: Turns;
  readonly onFailure: (error: unknown) => void;
}

export type ApiServerOptions = Omit<HttpServerOptions, keyof HttpAnswers> & AnsweringParts;

export interface ApiServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The API. Rejects with the system's error (EADDRINUSE, EACCES). */
export function serveApi(options: ApiServerOptions): Promise<ApiServer> {
  return serveHttp({
    ...options,
    answer: (request, response, progress) => answerRequest(request, response, options, progress),
    failed: errorAnswer(500, 'ERROR', failed, { financialImpact: 'UNKNOWN' }),
    unexpected: unexpectedAnswer,
    fault: clientFaultAnswer,
  });
}

/** Listens, with the limits of every protocol over HTTP. Rejects with the system's error. */
export async function serveHttp(options: HttpServerOptions): Promise<ApiServer> {
  const { headersMs, requestMs, idleMs, unreadMs, checkMs } = options.timeouts ?? clientTimeouts;
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: options.headerBytesMax ?? 16_384,
    // Access refuses it, with our own envelope.
    requireHostHeader: false,
  };
  const turns = options.turns ?? new Turns();
  const front = options.tls && tlsFront({ ...limits, ...options.tls }, headersMs, turns, options.fault);
  const server: Server = front?.server ?? createServer(limits);
  server.timeout = 0;
  const due = new DueAnswers();
  const streams = new OpenStreams();
  const connectionsAllowed = options.limits ?? connectionLimits;
  const connections = new Connections(connectionsAllowed, (carried) => useOf(carried, due, streams));
  const reading = { unreadMs, clock: options.clock ?? systemClock };
  const take = (raw: Socket, carried: PacedSocket) => {
    connections.carry(raw, carried);
    carried.once('end', () => {
      due.handleClose();
      streams.endStreamOf(carried);
    });
  };
  pace(server, front ? 'secureConnection' : 'connection', turns, reading, take, front?.settle);
  server.prependListener('connection', (socket: Socket) => connections.add(socket));
  // Connections that are being closed count until the next round.
  server.maxConnections = 2 * connectionsAllowed.connectionsMax;
  // Not options of http.createServer, but properties of the server: the block list of net.Server, and whether a client
  // that has closed its side still gets an answer.
  const blockList = new ConnectionRateLimiter(connectionsAllowed.newPerSecondMax);
  Object.assign(server, { blockList, httpAllowHalfOpen: true });
  const late = new LateRequests({ headersMs, requestMs }, reading.clock);
  server.on('request', (request) => {
    if ((request.socket as Duplex) instanceof PacedSocket) late.note(request.socket as Duplex as PacedSocket, request);
  });
  answerRequests(server, options, { due, streams, turns });
  answerParserErrors(server, options, { due, streams, late });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, due, streams, front) };
}

function useOf(carried: PacedSocket, due: DueAnswers, streams: OpenStreams): ConnectionUse {
  if (due.isPreparing(carried) || streams.serves(carried)) return 'answering';
  if (!due.on(carried)) return 'idle';
  return carried.isUnread ? 'unread' : 'sending';
}

/** The answers and streams of the server, and the order in which requests take their turns. */
interface Sending {
  readonly due: DueAnswers;
  readonly streams: OpenStreams;
  readonly turns: Turns;
}

const failed = { reason: 'internalError', message: 'the terminal failed to handle the request: enquire' } as const;

const expected = {
  reason: 'expectationUnknown',
  message: 'the terminal knows no Expect but 100-continue',
} as const;

const unexpectedAnswer: Answer = {
  ...errorAnswer(417, 'INVALID_PARAMETER', expected, { financialImpact: 'NONE' }),
  headers: { connection: 'close' },
};

function answerRequests(server: Server, options: HttpServerOptions, { due, streams, turns }: Sending): void {
  const pipelined = new PipelinedRequests(options.pipelinedMax ?? 16);
  const refusals = new Refusals(options.refusalsMax ?? 4, turns);
  const unexpected = new WeakSet<IncomingMessage>();
  // Node's own answer has no body, and the rest of the request would have no limits.
  server.on('checkExpectation', (request, response) => {
    unexpected.add(request);
    server.emit('request', request, response);
  });
  server.on('request', (request, response) => {
    // Kept, because Node removes it from a destroyed request.
    const { socket } = request;
    const { remoteAddress = '' } = socket;
    if (!pipelined.takes(request, response)) {
      socket.destroy();
      return;
    }
    // Requests behind a stream are never answered, and nothing waits for them.
    const isBehind = streams.on(socket);
    const onWhole = () => {
      if (!isBehind) due.add(response);
    };
    const onStream = () => streams.add(response);
    const refuseNext = (answer: Answer) => refusals.next(socket, remoteAddress, answer);
    const answering = unexpected.has(request)
      ? refuseNext(options.unexpected)
      : options.answer(request, response, { onWhole, onStream, refused: refuseNext, turns });
    answering
      .catch((error: unknown) => {
        options.onFailure(error);
        return options.failed;
      })
      .then((answer) => {
        // The rest of the body was not read.
        if (!request.complete && !request.destroyed) dropBody(request, drainBytesMax);
        if (answer) send(response, answer, server.listening);
      })
      .catch(options.onFailure);
  });
}

function answerParserErrors(
  server: Server,
  { fault }: Pick<HttpAnswers, 'fault'>,
  { due, streams, late }: Omit<Sending, 'turns'> & { readonly late: LateRequests },
): void {
  const refuse = (socket: Duplex, code: string | undefined) => {
    // A parser error must not replace an earlier answer that is still due, or an event.
    if (!socket.writable || due.on(socket) || streams.on(socket)) socket.destroy();
    else socket.end(fault(code), () => socket.destroy());
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket instanceof PacedSocket)
      late.handle(socket, () => refuse(socket, code));
    else refuse(socket, code);
  });
}

/**
 * Sends the answers that are due, and closes streams after their last event. Incomplete requests are cut off, and new
 * connections are not accepted.
 */
async function closeServer(server: Server, due: DueAnswers, streams: OpenStreams, front?: TlsFront): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await due.none();
  streams.end();
  server.closeAllConnections();
  front?.closeAll();
  await ended;
}
