import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyText } from '../../base/http/body.ts';
import { hostFault, settleTarget } from '../../base/http/host.ts';
import type { Access } from '../api/access.ts';
import { drainBytesMax, type Progress } from '../api/answering.ts';
import type { HttpAnswers } from '../api/server.ts';
import type { PosAnswer } from '../contracts/pos-calls.ts';
import type { EcrTill } from './calling.ts';
import type { EcrCalls } from './ecr-calls.ts';
import { answerBody, type EcrAnswer, respcd, wrongParameters } from './wire/answer.ts';
import { encrypt } from './wire/cipher.ts';
import { type EnvelopeFault, readEnvelope } from './wire/envelope.ts';
import { type EcrCall, ecrCalls } from './wire/request.ts';

/** The longest request is an encrypted trade of less than a kilobyte. */
const bodyBytesMax = 8_192;
const prefix = '/api/pos/';

export interface EcrAnsweringParts {
  readonly access: Access;
  readonly tills: readonly EcrTill[];
  readonly calls: Pick<EcrCalls, 'answer'>;
  readonly takesClear: boolean;
  readonly encryptsAnswers: boolean;
}

/** The answers of ECR over HTTP (QFPay/docs@3943715, docs/pos/ecr.md, 7). */
export function ecrAnswers(parts: EcrAnsweringParts): HttpAnswers {
  return {
    answer: (request, response, progress) => answerRequest(request, response, parts, progress),
    failed: clear(500, {
      respcd: respcd.other,
      message: 'The terminal failed. Do not charge again before an enquiry.',
    }),
    unexpected: { ...clear(417, other('The terminal knows no Expect but 100-continue.')), headers: close },
    fault: (code) => faultText(code),
  };
}

const close = { connection: 'close' };
const other = (message: string): EcrAnswer => ({ respcd: respcd.other, message });

/** An answer in clear: to a caller that no key has identified, or whose request could not be read. */
function clear(status: number, answer: EcrAnswer): PosAnswer {
  return { status, body: answerBody(answer) };
}

/** An answer to what Node's parser has refused, written by hand. */
function faultText(code: string | undefined): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const message = code === 'PLAIN_HTTP' ? 'This terminal accepts https only.' : 'This is not an HTTP request.';
  const body = JSON.stringify(answerBody(other(message)));
  const length = Buffer.byteLength(body);
  const head = ['content-type: application/json', `content-length: ${length}`, 'connection: close', '', ''];
  return `HTTP/1.1 ${status}\r\n${head.join('\r\n')}${body}`;
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: EcrAnsweringParts,
  progress: Progress,
): Promise<PosAnswer> {
  const { access } = parts;
  const misread =
    hostFault(request) ?? (settleTarget(request) ? undefined : 'the scheme is not that of the connection');
  if (misread !== undefined) return progress.refused({ ...clear(400, other(misread)), headers: close });
  const refusal = access.refusal(request);
  if (refusal) return progress.refused(clear(403, other(refusal.message)));
  const headers = access.corsHeaders(request);
  const preflight = access.preflightHeaders(request);
  if (preflight) return progress.refused({ status: 204, body: undefined, headers: { ...preflight, ...headers } });
  const answer = await route(request, response, parts, progress);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  parts: EcrAnsweringParts,
  progress: Progress,
): Promise<PosAnswer> {
  const call = callAt(request.url ?? '');
  if (!call) return progress.refused(clear(404, other('There is no such call.')));
  if (request.method !== 'POST') {
    const answer = clear(405, { respcd: respcd.otherMethod, message: 'The request must be a POST.' });
    return progress.refused({ ...answer, headers: { allow: 'POST' } });
  }
  const text = await bodyText(request, { bytesMax: bodyBytesMax, drainBytesMax });
  if (typeof text === 'object') {
    const status = text.refused === 'too-large' ? 413 : text.refused.includes('type') ? 415 : 400;
    return progress.refused(clear(status, wrongParameters(`The body is not acceptable: ${text.refused}.`)));
  }
  progress.onWhole();
  await progress.turns.next(request.socket.remoteAddress ?? '');
  const read = readEnvelope(text, { callers: parts.tills, takesClear: parts.takesClear });
  if (typeof read === 'string') return progress.refused(clear(200, refusals[read]));
  const { caller, content } = read;
  const { answer, noteDelivery } = await parts.calls.answer(caller, call, content);
  if (!response.destroyed) response.once('close', () => response.writableFinished && noteDelivery());
  const body = answerBody(answer);
  return { status: 200, body: parts.encryptsAnswers ? encrypt(JSON.stringify(body), caller.key) : body };
}

const refusals: Readonly<Record<EnvelopeFault, EcrAnswer>> = {
  unreadable: { respcd: respcd.unreadable, message: 'The request is not encrypted.' },
  otherKey: { respcd: respcd.otherKey, message: 'The request was not made with a POS-KEY of this terminal.' },
  malformed: wrongParameters('The content of the request can’t be read.'),
};

function callAt(target: string): EcrCall | undefined {
  const [path = ''] = target.split('?');
  if (!path.startsWith(prefix)) return undefined;
  const name = path.slice(prefix.length);
  return Object.hasOwn(ecrCalls, name) ? (name as EcrCall) : undefined;
}
