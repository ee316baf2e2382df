import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { CloudAnswer, CloudCall } from '../ports/cloud-link.ts';
import { admit, type Admitted } from './admission.ts';
import type { ApiParts, Handler } from './call.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { type Answer, bodyOf, errorAnswer, jsonHeaders } from './envelope.ts';
import { handleBody } from './handling.ts';
import { rotate } from './rotation.ts';
import { routes } from './routes.ts';
import type { Sender } from './sender.ts';
import { StaticFile } from './static-file.ts';

export interface CloudCallsOptions {
  readonly parts: ApiParts;
  readonly authenticator: RequestAuthenticator;
  /** The @authority that calls are signed for: the terminal's name at the broker. */
  readonly authority: string;
  readonly bodyBytesMax: number;
  readonly onFailure: (error: unknown) => void;
}

/** A signature may be this old when its call begins something: a customer does not wait longer for the first answer. */
const lifeSMax = 60;
/** Calls that wait for their answers: payments and what joins them. */
const waitingMax = 64;
const waitingPerPosMax = 8;

/** The two calls without a key: six digits protect them (docs/pairing.md). */
const pairingPaths: ReadonlySet<string> = new Set(['/sp/v1/pairing', '/sp/v1/pairing/reveal']);

/** A till of the shop's network is paired anew at the screen. */
const rotationPath = '/sp/v1/pairing/rotate';

const failed = { reason: 'internalError', message: 'the terminal failed to handle the request: enquire' } as const;
const nothing = { financialImpact: 'NONE' } as const;

/**
 * Answers calls that came through the broker, by the handlers of the local interface. What carried them is not trusted:
 * a call must be signed, whatever `pairing.required` says, and must say when it expires.
 */
export class CloudCalls {
  readonly #options: CloudCallsOptions;
  /** By POS. */
  readonly #waiting = new Map<string, number>();

  constructor(options: CloudCallsOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async answer(call: CloudCall): Promise<CloudAnswer> {
    const answer = await this.#answer(call).catch((error: unknown) => {
      this.#options.onFailure(error);
      return errorAnswer(500, 'ERROR', failed, { financialImpact: 'UNKNOWN' });
    });
    return { status: answer.status, fields: { ...jsonHeaders, ...answer.headers }, body: bodyOf(answer.body) ?? '' };
  }

  async #answer({ answerTopic, method, target, fields, body }: CloudCall): Promise<Answer> {
    const { authenticator, authority, bodyBytesMax } = this.#options;
    // What is no UTF-8 does not come back as the bytes that were signed.
    const text = Buffer.from(body).toString();
    const isTooLarge = body.length > bodyBytesMax;
    const isRead = method === 'GET';
    const [path = ''] = target.split('?');
    if (method === 'POST' && pairingPaths.has(path)) {
      if (isTooLarge) return bodyRefusalAnswer('too-large');
      const handler = handlerOf(path, method);
      // Each till hears its answers on a topic of its own. Where one has left off, another may pair.
      const sender = { address: `cloud ${answerTopic}`, isFromCloud: true } as const;
      return typeof handler === 'function' ? this.#handle(handler, text, target, sender) : handler;
    }
    const call = { scheme: 'https', method, target, headers: { ...fields, host: authority } } as const;
    const admission = await admit(authenticator, call, isRead ? undefined : text, { lifeSMax });
    if ('refused' in admission) return admission.refused;
    const { signed, key } = admission;
    // Of an open path, which is a file: files are not for this way.
    if (!key?.expiresAt) return unsignedFile;
    if (isTooLarge) return signed(bodyRefusalAnswer('too-large'));
    const handler = path === rotationPath && method === 'POST' ? rotate : handlerOf(path, method);
    if (typeof handler !== 'function') return signed(handler);
    return signed(
      await this.#inTurn(key, (sender) => this.#handle(handler, isRead ? undefined : text, target, sender)),
    );
  }

  #handle(handler: Handler, text: string | undefined, target: string, sender: Sender): Promise<Answer> {
    const asked = { query: new URLSearchParams(target.replace(/^[^?]*/, '')), accept: '' };
    return handleBody(handler, text, this.#options.parts, sender, asked);
  }

  /** A key that floods gets refusals, and nobody else does. */
  async #inTurn(
    { posId, keyId, createdS, expiresAt }: NonNullable<Admitted['key']>,
    handle: (sender: Sender) => Promise<Answer>,
  ): Promise<Answer> {
    const own = this.#waiting.get(posId) ?? 0;
    const all = [...this.#waiting.values()].reduce((sum, each) => sum + each, 0);
    if (own >= waitingPerPosMax || all >= waitingMax) return errorAnswer(503, 'ERROR', tooMany, nothing);
    this.#waiting.set(posId, own + 1);
    try {
      return await handle({ address: 'cloud', posId, ...(expiresAt ? { cloud: { createdS, expiresAt, keyId } } : {}) });
    } finally {
      const left = (this.#waiting.get(posId) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(posId);
      else this.#waiting.set(posId, left);
    }
  }
}

const tooMany = { reason: 'tooManyCalls', message: 'too many calls of this till wait for their answers' } as const;
const noPath = { reason: 'pathUnknown', message: 'no such path through the cloud' } as const;
const unsignedFile = errorAnswer(
  401,
  'ERROR',
  { reason: 'notPaired', message: 'files are not served through the cloud' },
  nothing,
);

/** The handler of a call; or the answer that refuses it. Files and streams have no way through the cloud. */
function handlerOf(path: string, method: string): Handler | Answer {
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return errorAnswer(404, 'NOT_FOUND', noPath, nothing);
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) {
    const message = `this path accepts ${Object.keys(methods).join(', ')}`;
    return errorAnswer(405, 'INVALID_PARAMETER', { reason: 'methodNotAllowed', message }, nothing);
  }
  if (handler instanceof StaticFile || typeof handler === 'object')
    return errorAnswer(404, 'NOT_FOUND', noPath, nothing);
  return handler;
}
