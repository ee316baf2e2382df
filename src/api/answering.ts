import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyText } from '../http/body.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { SignedCall } from '../pairing/signed-call.ts';
import { type Admitted, admit } from './admission.ts';
import { ambiguity } from './ambiguity.ts';
import type { Access } from './access.ts';
import type { ApiParts } from './call.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { type Answer, bodyOf, errorAnswer, jsonHeaders } from './envelope.ts';
import { handleBody } from './handling.ts';
import { endStream } from './open-streams.ts';
import { type Exchange, routes } from './routes.ts';
import type { Asked } from './query.ts';
import type { Sender } from './sender.ts';
import { StaticFile } from './static-file.ts';
import type { Turns } from './turns.ts';

/** This much of a body beyond the limit is read and dropped. */
export const drainBytesMax = 16 * 1024 * 1024;

/** What a request needs before its handler is called. */
export interface AnsweringParts {
  readonly bodyBytesMax: number;
  readonly access: Access;
  readonly parts: ApiParts;
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
  const refusal = access.refusal(request);
  if (refusal) return progress.refused(errorAnswer(403, 'ERROR', refusal, { financialImpact: 'NONE' }));
  const headers = access.corsHeaders(request);
  const answer = await route({ request, response, headers }, options, progress);
  return answer && { ...answer, headers: { ...answer.headers, ...headers } };
}

const nothing = { financialImpact: 'NONE' } as const;

async function route(
  exchange: Exchange,
  { access, parts, bodyBytesMax, authenticator }: AnsweringParts,
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
  // Counted like a refusal: a page asks seldom, and who asks for ever needs new connections for it.
  const preflight = access.preflightHeaders(request);
  if (preflight) return refused({ status: 204, body: undefined, headers: preflight });
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) {
    const allow = Object.keys(methods).join(', ');
    const trouble = { reason: 'methodNotAllowed', message: `this path accepts ${allow}` } as const;
    const answer = errorAnswer(405, 'INVALID_PARAMETER', trouble, { financialImpact: 'NONE' });
    return refused({ ...answer, headers: { allow } });
  }
  if (handler instanceof StaticFile) {
    onWhole();
    await turns.next();
    return answerFile(handler, request);
  }
  if (typeof handler === 'object') {
    const { response } = exchange;
    let sender = senderOf(request);
    if (authenticator) {
      // Requests that arrive meanwhile are already behind a stream.
      onStream();
      const admission = await admit(authenticator, callOf(request), undefined);
      if ('refused' in admission) return { ...admission.refused, headers: { connection: 'close' } };
      if (response.writableEnded || response.destroyed) return undefined;
      sender = senderOf(request, admission);
      // The stream ends when the key that opened it is revoked.
      if (admission.key)
        response.once(
          'close',
          authenticator.whenRevoked(admission.key.keyId, () => endStream(response)),
        );
    }
    const answer = handler.stream(exchange, parts, sender);
    if (answer) onWhole();
    else onStream();
    return answer;
  }
  const text = method === 'GET' ? undefined : await bodyText(request, { bytesMax: bodyBytesMax, drainBytesMax });
  if (typeof text === 'object') return refused(bodyRefusalAnswer(text.refused));
  onWhole();
  await turns.next();
  const admission = await admit(authenticator, callOf(request), text);
  if ('refused' in admission) return refused(admission.refused);
  return admission.signed(await handleBody(handler, text, parts, senderOf(request, admission), askedOf(request)));
}

/** A checkout in which nothing was built has not every file. */
function answerFile(file: StaticFile, request: IncomingMessage): Promise<Answer> {
  return file.answer(request).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    const trouble = { reason: 'pathUnknown', message: 'it is not built yet: npm run build' } as const;
    return errorAnswer(404, 'NOT_FOUND', trouble, { financialImpact: 'NONE' });
  });
}

function callOf({ method = '', url: target = '', headers, socket }: IncomingMessage): Omit<SignedCall, 'body'> {
  return { scheme: 'encrypted' in socket ? 'https' : 'http', method, target, headers };
}

function senderOf({ socket }: IncomingMessage, { key }: Pick<Admitted, 'key'> = {}): Sender {
  const { remoteAddress: address = '' } = socket;
  return { address, ...(key ? { posId: key.posId } : {}) };
}

function askedOf({ url = '', headers: { accept = '' } }: IncomingMessage): Asked {
  return { query: new URLSearchParams(url.replace(/^[^?]*/, '')), accept };
}

/** `more`: the connection may carry another request. */
export function send(response: ServerResponse, { status, body, headers }: Answer, more: boolean): void {
  // The client has disconnected. The transaction went on, and an enquiry tells its outcome.
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
