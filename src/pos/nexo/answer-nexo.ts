import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyText } from '../../base/http/body.ts';
import { hostFault, settleTarget } from '../../base/http/host.ts';
import type { Random } from '../../base/ports/clock.ts';
import type { Access } from '../api/access.ts';
import { connectionOf, drainBytesMax, type Progress } from '../api/answering.ts';
import { bodyRefusalAnswer, clientFaultAnswer } from '../api/client-fault.ts';
import { readJsonRequest } from '../api/json-request.ts';
import type { Answer } from '../api/pos-response.ts';
import {
  answerText,
  type Envelope,
  type EnvelopeRules,
  readEnvelope,
  rejectText,
  type Unacceptable,
} from './envelope.ts';
import { handleMessage, isLong } from './handle-message.ts';
import { posIdOf } from './identity.ts';
import { LongAnswer } from './long-answer.ts';
import type { Asked, NexoParts } from './outcome.ts';
import type { Handled } from './payment.ts';

export interface NexoServing extends NexoParts {
  readonly access: Access;
  readonly rules: EnvelopeRules;
  readonly poiId: string;
  readonly random: Random;
}

/** Room for a print job, encrypted. */
const bodyBytesMax = 131_072;
const paths: ReadonlySet<string> = new Set(['/nexo', '/nexo/']);

/** Refusals of HTTP itself: clients show the text of `errors`. */
function refuse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body: { errors: [text] }, headers };
}

const untrusted = refuse(401, 'the message is not secured with a key of this terminal');
const unreadable = refuse(400, 'the body is no nexo message in JSON');

/** The answers that no message is read for. */
export const httpAnswers = {
  failed: refuse(500, 'the terminal failed to handle the message: ask for its status'),
  unexpected: refuse(417, 'the terminal knows no Expect but 100-continue', { connection: 'close' }),
  fault: clientFaultAnswer,
};

/** Answers one request; undefined where the response was written already, or its connection closed. */
export async function answerNexo(
  request: IncomingMessage,
  response: ServerResponse,
  serving: NexoServing,
  progress: Progress,
): Promise<Answer | undefined> {
  const misled = hostFault(request);
  if (misled !== undefined) return progress.refused(refuse(400, misled, { connection: 'close' }));
  if (!settleTarget(request)) return progress.refused(refuse(421, 'the scheme of the target is another'));
  const refusal = serving.access.refusal(request);
  if (refusal) return progress.refused(refuse(403, refusal.message));
  const [path = ''] = (request.url ?? '').split('?');
  if (!paths.has(path)) return progress.refused(refuse(404, 'no such path'));
  if (request.method !== 'POST') return progress.refused(refuse(405, 'this path accepts POST', { allow: 'POST' }));
  const text = await bodyText(request, { bytesMax: bodyBytesMax, drainBytesMax });
  if (typeof text === 'object') {
    const { status, body } = bodyRefusalAnswer(text.refused);
    return progress.refused(refuse(status, (body as { readonly message: string }).message));
  }
  progress.onWhole();
  const address = request.socket.remoteAddress ?? '';
  await progress.turns.next(address);
  const read = readJsonRequest(text);
  if ('refused' in read) return progress.refused(unreadable);
  const envelope = readEnvelope(read.body, serving.rules);
  if (envelope === 'untrusted') return progress.refused(untrusted);
  if (envelope === 'unreadable') return progress.refused(unreadable);
  const answering = new Answering(response, envelope.key, serving);
  if ('unacceptable' in envelope) return progress.refused(answering.reject(envelope.header, envelope.unacceptable));
  if (envelope.header.POIID !== serving.poiId)
    return progress.refused(answering.reject(envelope.header, 'POIID is that of another terminal'));
  const caller = { address, connection: connectionOf({ request, response }) };
  return answering.answer(envelope, caller);
}

/** Writes the answer to one message. */
class Answering {
  readonly #response: ServerResponse;
  readonly #key: Envelope['key'];
  readonly #serving: NexoServing;

  constructor(response: ServerResponse, key: Envelope['key'], serving: NexoServing) {
    this.#response = response;
    this.#key = key;
    this.#serving = serving;
  }

  /** Status 200, as every answer of the protocol. */
  reject(header: Unacceptable['header'], why: string): Answer {
    return textAnswer(this.#rejection(header, why));
  }

  async answer({ header, request, key, digest }: Envelope, from: Asked['caller']): Promise<Answer | undefined> {
    const posId = key?.posId ?? posIdOf(header.SaleID);
    const caller = key?.posId === undefined ? from : { ...from, posId: key.posId };
    const asked = { header, posId, caller, digest };
    const answer = isLong(header.MessageCategory) ? new LongAnswer(this.#response, this.#serving.clock) : undefined;
    let handled: Handled;
    try {
      handled = await handleMessage(request, asked, this.#serving);
    } catch (error) {
      // Whether something was started is not known: no answer is better than a wrong one.
      answer?.drop();
      if (!answer) this.#response.destroy();
      throw error;
    }
    if (handled === 'empty') return { status: 200, body: undefined, headers: { 'content-length': '0' } };
    if (handled === 'open') {
      (answer ?? new LongAnswer(this.#response, this.#serving.clock)).drop();
      return undefined;
    }
    const text =
      'rejected' in handled ? this.#rejection(header, handled.rejected) : this.#text(header, handled.response);
    if (!answer) return textAnswer(text);
    answer.end(text);
    return undefined;
  }

  #text(header: Envelope['header'], response: object): string {
    return answerText(header, response, { key: this.#key, random: this.#serving.random });
  }

  #rejection(header: Unacceptable['header'], why: string): string {
    const { poiId, random, clock } = this.#serving;
    const deviceId = String(clock.now().getTime() % 1_000_000_000);
    return rejectText(header, why, { key: this.#key, random, poiId, deviceId, at: clock.now() });
  }
}

function textAnswer(text: string): Answer {
  return {
    status: 200,
    body: Buffer.from(text),
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  };
}
