import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyText } from '../../base/http/body.ts';
import { settleTarget, hostFault } from '../../base/http/host.ts';
import type { CallerConnection, PosCalls, PosCaller } from '../contracts/pos-calls.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { SignedCall } from '../pairing/signed-call.ts';
import { type Admitted, admit } from './admission.ts';
import type { Access } from './access.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { refusalOfOthers } from './open-pos-calls.ts';
import { type Answer, bodyOf, errorAnswer, jsonHeaders } from './pos-response.ts';
import { endStream, type EventStream } from './event-stream.ts';
import { readJsonRequest } from './json-request.ts';
import { askWith, type Exchange, queryOf, routes, type StreamRoute } from './routes.ts';
import { StaticFile } from './static-file.ts';
import type { Turns } from '../../base/http/turns.ts';

/** This much of a body beyond the limit is read and dropped. */
export const drainBytesMax = 16 * 1024 * 1024;

/** The parts that answer a request. */
export interface AnsweringParts {
  readonly bodyBytesMax: number;
  readonly access: Access;
  readonly calls: PosCalls;
  readonly events: Pick<EventStream, 'serve'>;
  /** Set if only paired points of sale may call. */
  readonly authenticator?: RequestAuthenticator;
}

/** Callbacks about a request: it was received completely and its answer is due, or its response became a stream. */
export interface Progress {
  readonly onWhole: () => void;
  readonly onStream: () => void;
  /** Takes a turn, and then returns the answer. */
  readonly refused: (answer: Answer) => Promise<Answer>;
  /** Awaited before the request is handled. */
  readonly turns: Turns;
}

/** Returns the answer to a request; undefined if the response is a stream. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: AnsweringParts,
  progress: Progress,
): Promise<Answer | undefined> {
  const { access } = options;
  const misread = ambiguity(request);
  if (misread !== undefined) {
    const answer = errorAnswer(400, 'INVALID_PARAMETER', { reason: 'notHttp', message: misread }, nothing);
    return progress.refused({ ...answer, headers: { connection: 'close' } });
  }
  if (!settleTarget(request)) return progress.refused(errorAnswer(421, 'INVALID_PARAMETER', otherScheme, nothing));
  const refusal = access.refusal(request);
  if (refusal) return progress.refused(errorAnswer(403, 'ERROR', refusal, { financialImpact: 'NONE' }));
  const headers = access.corsHeaders(request);
  const answer = await route({ request, response, headers }, options, progress);
  return answer && { ...answer, headers: { ...answer.headers, ...headers } };
}

const nothing = { financialImpact: 'NONE' } as const;
/** RFC 9110, 7.4. */
const otherScheme = { reason: 'notHttp', message: 'the scheme of the target is not that of this connection' } as const;

async function route(
  exchange: Exchange,
  { access, calls, events, bodyBytesMax, authenticator }: AnsweringParts,
  { onWhole, onStream, refused, turns }: Progress,
): Promise<Answer | undefined> {
  const { request } = exchange;
  const [path = ''] = (request.url ?? '').split('?');
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods)
    return refused(
      errorAnswer(404, 'NOT_FOUND', { reason: 'pathUnknown', message: 'no such path' }, { financialImpact: 'NONE' }),
    );
  const { method = '' } = request;
  // Counted like a refusal: pages send few preflights, and a caller that floods needs new connections for them.
  const preflight = access.preflightHeaders(request);
  if (preflight) return refused({ status: 204, body: undefined, headers: preflight });
  const handler = handlerOf(methods, method);
  if (!handler) return refused(otherMethod(methods));
  if (handler instanceof StaticFile) {
    onWhole();
    await turns.next(request.socket.remoteAddress ?? '');
    return answerFile(handler, request);
  }
  if (typeof handler === 'object')
    return openStream(exchange, handler, { events, authenticator }, { onWhole, onStream });
  const text =
    method === 'GET' || method === 'HEAD'
      ? undefined
      : await bodyText(request, { bytesMax: bodyBytesMax, drainBytesMax });
  if (typeof text === 'object') return refused(bodyRefusalAnswer(text.refused));
  onWhole();
  await turns.next(request.socket.remoteAddress ?? '');
  const admission = await admit(authenticator, callOf(request), text);
  if ('refused' in admission) return refused(admission.refused);
  const read = text === undefined ? { body: queryOf(request.url ?? '') } : readJsonRequest(text);
  if ('refused' in read) return refused(admission.signed(read.refused));
  const caller = { ...callerOf(request, admission), connection: connectionOf(exchange) };
  const answer = admission.signed(await askWith(calls, handler, read.body, caller));
  // A body that no call can have is counted like a refusal.
  return answer.status === 400 ? refused(answer) : answer;
}

/** Opens an event stream, or answers with the reason for a refusal. It ends when the key that opened it is revoked. */
async function openStream(
  exchange: Exchange,
  handler: StreamRoute,
  {
    events,
    authenticator,
  }: Pick<AnsweringParts, 'events'> & {
    readonly authenticator: RequestAuthenticator | undefined;
  },
  { onWhole, onStream }: Pick<Progress, 'onWhole' | 'onStream'>,
): Promise<Answer | undefined> {
  const { request, response } = exchange;
  let caller = callerOf(request);
  if (authenticator) {
    // Requests that arrive meanwhile are already behind a stream.
    onStream();
    const admission = await admit(authenticator, callOf(request), undefined);
    if ('refused' in admission)
      return { ...admission.refused, headers: { ...admission.refused.headers, connection: 'close' } };
    if (response.writableEnded || response.destroyed) return undefined;
    caller = callerOf(request, admission);
    if (admission.key) {
      const stop = authenticator.whenRevoked(admission.key.keyId, () => endStream(response));
      response.once('close', stop);
    }
  }
  const answer =
    refusalOfOthers(caller, undefined, queryOf(request.url ?? '')) ?? handler.stream(exchange, events, caller);
  if (answer) onWhole();
  else onStream();
  return answer;
}

type Methods = NonNullable<(typeof routes)[string]>;

/** A HEAD is answered as a GET (RFC 9110, 9.3.2), whose body Node leaves out. Not so a stream, which has no end. */
function handlerOf(methods: Methods, method: string): Methods[string] | undefined {
  const name = method === 'HEAD' && hasHead(methods) ? 'GET' : method;
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

function otherMethod(methods: Methods): Answer {
  const allow = [...Object.keys(methods), ...(hasHead(methods) ? ['HEAD'] : [])].join(', ');
  const refusal = { reason: 'methodNotAllowed', message: `this path accepts ${allow}` } as const;
  return { ...errorAnswer(405, 'INVALID_PARAMETER', refusal, nothing), headers: { allow } };
}

function hasHead({ GET: handler }: Methods): boolean {
  return typeof handler === 'string' || handler instanceof StaticFile;
}

/** A checkout without a build lacks some files. */
function answerFile(file: StaticFile, request: IncomingMessage): Promise<Answer> {
  return file.answer(request).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    const refusal = { reason: 'pathUnknown', message: 'it is not built yet: npm run build' } as const;
    return errorAnswer(404, 'NOT_FOUND', refusal, { financialImpact: 'NONE' });
  });
}

function callOf({ method = '', url: target = '', headers, socket }: IncomingMessage): Omit<SignedCall, 'body'> {
  return { scheme: 'encrypted' in socket ? 'https' : 'http', method, target, headers };
}

function callerOf({ socket }: IncomingMessage, { key }: Pick<Admitted, 'key'> = {}): PosCaller {
  const { remoteAddress: address = '' } = socket;
  return { address, ...(key ? { posId: key.posId } : {}) };
}

export function connectionOf({
  request: { socket },
  response,
}: Pick<Exchange, 'request' | 'response'>): CallerConnection {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => gone.abort());
  return { gone: gone.signal, hasClosedItsSide: () => socket.readableEnded };
}

/** `more`: the connection may carry another request. */
export function send(response: ServerResponse, { status, body, headers }: Answer, more: boolean): void {
  // The client has disconnected. The transaction continued, and an enquiry returns its outcome.
  if (response.destroyed) return;
  const isFile = body instanceof Uint8Array;
  const text = isFile ? body : bodyOf(body);
  response.writeHead(status, {
    ...headers,
    ...(text === undefined ? {} : { ...(isFile ? {} : jsonHeaders), 'content-length': Buffer.byteLength(text) }),
    ...(status === 413 || !more ? { connection: 'close' } : {}),
  });
  response.end(text);
}

/**
 * Why two readers could interpret this request differently; undefined if they can't. A GET's body has no meaning (RFC
 * 9110, 9.3.1) and would not be read.
 */
function ambiguity(request: IncomingMessage): string | undefined {
  const misled = hostFault(request);
  if (misled !== undefined) return misled;
  const { method, headers } = request;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (length !== '0' || encoding !== undefined) ? `a ${method} has no body` : undefined;
}
