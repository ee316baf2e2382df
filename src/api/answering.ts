import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOwnPosId } from '../domain/identifiers.ts';
import { bodyText } from '../http/body.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import { JournalError } from '../ports/journal.ts';
import { UnreadableRecord } from '../records/record.ts';
import { type Admitted, admit } from './admission.ts';
import type { Access } from './access.ts';
import { type ApiParts, type Handler, refusalAnswer as notAcceptable } from './call.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { type Answer, bodyOf, errorAnswer, jsonHeaders } from './envelope.ts';
import { keyFault } from './json-keys.ts';
import { parseJson } from './json.ts';
import { refusal } from './pos-request.ts';
import { endStream } from './open-streams.ts';
import { type Exchange, routes } from './routes.ts';
import type { Sender } from './sender.ts';
import type { Turns } from './turns.ts';

/** Of a body beyond the limit, so much is read and dropped. */
export const drainBytesMax = 16 * 1024 * 1024;

/** What stands between a request and its handler. */
export interface AnsweringParts {
  readonly bodyBytesMax: number;
  readonly access: Access;
  readonly parts: ApiParts;
  /** Where only paired points of sale may call. */
  readonly authenticator?: RequestAuthenticator;
}

/** What becomes of a request: it has come in whole, and its answer is due; or its response is a stream from now on. */
export interface Progress {
  readonly onWhole: () => void;
  readonly onStream: () => void;
  /** The answer, in its turn. */
  readonly refused: (answer: Answer) => Promise<Answer>;
  /** Waited for before the request is handled. */
  readonly turns: Turns;
}

/** One request's answer; nothing where the response is a stream. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: AnsweringParts,
  progress: Progress,
): Promise<Answer | undefined> {
  const { access } = options;
  const refusal = access.refusal(request);
  if (refusal) return progress.refused(errorAnswer(403, 'ERROR', refusal, { financialImpact: 'NONE' }));
  const headers = access.corsHeaders(request);
  const answer = await route({ request, response, headers }, options, progress);
  return answer && { ...answer, headers: { ...answer.headers, ...headers } };
}

async function route(
  exchange: Exchange,
  { parts, bodyBytesMax, authenticator }: AnsweringParts,
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
    const { response } = exchange;
    let sender = senderOf(request);
    if (authenticator) {
      // What is sent behind it meanwhile is behind a stream already.
      onStream();
      const admission = await admit(authenticator, request, undefined);
      if ('refused' in admission) return { ...admission.refused, headers: { connection: 'close' } };
      if (response.writableEnded || response.destroyed) return undefined;
      sender = senderOf(request, admission);
      // It lasts as long as the key that opened it, no longer.
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
  const admission = await admit(authenticator, request, text);
  if ('refused' in admission) return refused(admission.refused);
  return admission.signed(await handleBody(handler, text, parts, senderOf(request, admission)));
}

function senderOf({ socket }: IncomingMessage, { key }: Pick<Admitted, 'key'> = {}): Sender {
  const { remoteAddress: address = '' } = socket;
  return { address, ...(key ? { posId: key.posId } : {}) };
}

/** `text`: the body, none of a GET. */
async function handleBody(
  handler: Handler,
  text: string | undefined,
  parts: ApiParts,
  sender: Sender,
): Promise<Answer> {
  if (text === undefined) return handler(undefined, parts, sender);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return errorAnswer(400, 'INVALID_PARAMETER', 'the body is not JSON', { financialImpact: 'NONE' });
  }
  // Whose it is then can't be said either.
  const fault = keyFault(text);
  if (fault) return notAcceptable(400, { result: 'INVALID_PARAMETER', errors: [fault] }, undefined);
  // The terminal's own calls come by no network: whatever comes by it, on whichever path, is none of them.
  if (namesTerminal(body)) {
    const message = 'is a name of the terminal itself: a point of sale has another';
    return notAcceptable(400, refusal('INVALID_PARAMETER', '/posId', message), body);
  }
  return handler(body, parts, sender).catch(unreadable);
}

/** What is asked for is damaged or missing, or a newer version wrote it: another enquiry would find no more. */
function unreadable(error: unknown): Answer {
  const isKnown = error instanceof UnreadableRecord || (error instanceof JournalError && error.code === 'archive');
  if (!isKnown) throw error;
  return errorAnswer(503, 'DATABASE_ERROR', error.message, { financialImpact: 'UNKNOWN', retryable: false });
}

function namesTerminal(body: unknown): boolean {
  const { posId } = (body ?? {}) as { readonly posId?: unknown };
  return typeof posId === 'string' && isOwnPosId(posId);
}

/** `more`: this connection may bring another request. */
export function send(response: ServerResponse, { status, body, headers }: Answer, more: boolean): void {
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
