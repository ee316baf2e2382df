import { type ContentRefusal, contentRefusal } from '../../base/http/body.ts';
import { type CallRoom, callRoomOf } from '../../base/domain/call-room.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { CloudAnswer, CloudCall, MessageTooLong } from '../../payment/contracts/cloud-link.ts';
import { admit, type Admitted, moneyPaths } from './admission.ts';
import { type ApiParts, type Handler, type Identity, refusalAnswer } from './call.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { type Answer, bodyOf, type ErrorDetail, errorAnswer, jsonHeaders } from './pos-response.ts';
import { handleBody } from './answering.ts';
import { isRefusal, identifier, inputFaults, jsonObject, refusal } from './input.ts';
import { parseIdentity } from './pos-request.ts';
import { routes } from './routes.ts';
import type { Sender } from './sender.ts';
import { StaticFile } from './static-file.ts';
import * as z from 'zod';
import { bytes32, success } from './pairing.ts';

const rotationRequest = z.strictObject({ posId: identifier, posPublicKey: bytes32, posNonce: bytes32 }, jsonObject);

const gone = {
  reason: 'notPaired',
  message: 'the key of this call is not known any more, or newer calls have agreed on others',
} as const;

/** POST /sp/v1/pairing/rotate, through the cloud alone: the key that follows the one of this call (docs/cloud.md). */
const rotate: Handler = async (body, { pairing }, { posId, cloud }) => {
  const parsed = rotationRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) }, body);
  if (!pairing || posId === undefined || !cloud) return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  const { keyId, createdS } = cloud;
  const rotated = await pairing.rotate({ posId, keyId, createdS }, parsed.data);
  if (rotated === 'unknown') return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  if (rotated === 'noKey')
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldInvalid', '/posPublicKey', 'is no key'), body);
  return success({ posId, ...rotated });
};

/** An answer, and how it is signed: the shorter one in its place is signed as well. */
type Signable = Answer & { readonly signed?: Admitted['signed'] };

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
/**
 * Calls that wait for their answers, in each room. Of a POS more payments than may wait for one: what takes the place of an
 * earlier call comes before that one leaves.
 */
const waitingMax = 64;
const waitingPerPosMax: Readonly<Record<CallRoom, number>> = { payment: 16, recovery: 16, other: 8 };

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
  /** By room and POS. */
  readonly #waiting: Readonly<Record<CallRoom, Map<string, number>>> = {
    payment: new Map(),
    recovery: new Map(),
    other: new Map(),
  };

  constructor(options: CloudCallsOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async answer(call: CloudCall): Promise<CloudAnswer> {
    const answer = await this.#answer(call).catch((error: unknown): Signable => {
      this.#options.onFailure(error);
      return errorAnswer(500, 'ERROR', failed, { financialImpact: 'UNKNOWN' });
    });
    const { signed = asIs } = answer;
    const inShort = ({ bytes, bytesMax }: MessageTooLong) =>
      cloudAnswerOf(signed(shortAnswer(answer, call, bytes, bytesMax)));
    return { ...cloudAnswerOf(signed(answer)), inShort };
  }

  async #answer(asked: CloudCall): Promise<Signable> {
    const { answerTopic, method, target, fields, body } = asked;
    const { authenticator, authority, bodyBytesMax } = this.#options;
    // What is no UTF-8 does not come back as the bytes that were signed.
    const text = Buffer.from(body).toString();
    const unreadable = body.length > bodyBytesMax ? 'too-large' : unreadableOf(asked);
    const isRead = method === 'GET';
    const [path = ''] = target.split('?');
    if (method === 'POST' && pairingPaths.has(path)) {
      if (unreadable) return bodyRefusalAnswer(unreadable);
      const handler = handlerOf(path, method);
      // Each till hears its answers on a topic of its own. Where one has left off, another may pair.
      const sender = { address: `cloud ${answerTopic}`, isFromCloud: true } as const;
      return typeof handler === 'function' ? this.#handle(handler, text, target, sender) : handler;
    }
    const call = { scheme: 'https', method, target, headers: { ...fields, host: authority } } as const;
    const admission = await admit(authenticator, call, isRead ? undefined : text, { lifeSMax });
    if ('refused' in admission) return admission.refused;
    const { signed, key } = admission;
    const withSignature = (answer: Answer): Signable => ({ ...answer, signed });
    // Of an open path, which is a file: files are not for this way.
    if (!key?.expiresAt) return unsignedFile;
    if (unreadable) return withSignature(bodyRefusalAnswer(unreadable));
    const handler = path === rotationPath && method === 'POST' ? rotate : handlerOf(path, method);
    if (typeof handler !== 'function') return withSignature(handler);
    return withSignature(
      await this.#inTurn(key, { path, text }, (sender) =>
        this.#handle(handler, isRead ? undefined : text, target, sender),
      ),
    );
  }

  #handle(handler: Handler, text: string | undefined, target: string, sender: Sender): Promise<Answer> {
    const asked = { query: new URLSearchParams(target.replace(/^[^?]*/, '')), accept: '' };
    return handleBody(handler, text, this.#options.parts, sender, asked);
  }

  /** A key that floods gets refusals, and nobody else does. */
  async #inTurn(
    { posId, keyId, createdS, expiresAt }: NonNullable<Admitted['key']>,
    { path, text }: { readonly path: string; readonly text: string },
    handle: (sender: Sender) => Promise<Answer>,
  ): Promise<Answer> {
    const room = callRoomOf(path);
    const waiting = this.#waiting[room];
    const own = waiting.get(posId) ?? 0;
    const all = [...waiting.values()].reduce((sum, each) => sum + each, 0);
    if (own >= waitingPerPosMax[room] || all >= waitingMax) return tooManyAnswer(path, text);
    waiting.set(posId, own + 1);
    try {
      return await handle({ address: 'cloud', posId, ...(expiresAt ? { cloud: { createdS, expiresAt, keyId } } : {}) });
    } finally {
      const left = (waiting.get(posId) ?? 1) - 1;
      if (left === 0) waiting.delete(posId);
      else waiting.set(posId, left);
    }
  }
}

function asIs(answer: Answer): Answer {
  return answer;
}

function cloudAnswerOf({ status, headers, body }: Answer): CloudAnswer {
  return { status, fields: { ...jsonHeaders, ...headers }, body: bodyOf(body) ?? '' };
}

/** Calls that move no money, whatever their answers are. */
const moneyless: ReadonlySet<string> = new Set([
  '/sp/v1/receipt',
  '/sp/v1/print',
  '/sp/v1/report/print',
  '/sp/v1/display',
  '/sp/v1/drawer/open',
  '/sp/v1/pairing',
  '/sp/v1/pairing/reveal',
  rotationPath,
]);

/** Replaces an answer that is too long for the broker. It does not say what became of a payment: the till enquires. */
function shortAnswer({ body }: Answer, { method, target }: CloudCall, bytes: number, bytesMax: number): Answer {
  const message = `the answer has ${bytes} bytes, the broker takes ${bytesMax}`;
  const { posId, messageId, financialImpact } = (body ?? {}) as ErrorDetail;
  const [path = ''] = target.split('?');
  const isHarmless = method === 'GET' || moneyless.has(path);
  return errorAnswer(
    503,
    'ERROR',
    { reason: 'answerTooLong', message },
    {
      ...(posId === undefined ? {} : { posId }),
      ...(messageId === undefined ? {} : { messageId }),
      financialImpact: isHarmless || financialImpact === 'NONE' ? 'NONE' : 'UNKNOWN',
    },
  );
}

/** It was not looked at: what it asks for or about may run, or have ended. */
function tooManyAnswer(path: string, text: string): Answer {
  const identity = identityIn(text);
  return errorAnswer(503, 'ERROR', tooMany, {
    ...identity,
    financialImpact: moneyPaths.has(path) ? 'UNKNOWN' : 'NONE',
  });
}

function identityIn(text: string): Partial<Identity> {
  try {
    const identity = parseIdentity(JSON.parse(text));
    return isRefusal(identity) ? {} : { posId: identity.posId, messageId: identity.messageId };
  } catch {
    return {};
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

/** Why the body is not read. Only the call's own fields count; without a type, the body is JSON. */
function unreadableOf({ method, fields, contentType }: CloudCall): ContentRefusal | undefined {
  if (method === 'GET') return undefined;
  const encoding = fields['content-encoding'];
  const types = [fields['content-type'], contentType].filter((type) => type !== undefined);
  const refusals = (types.length === 0 ? ['application/json'] : types).map((type) =>
    contentRefusal({ type, encoding }),
  );
  return refusals.find((refusal) => refusal !== undefined);
}

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
