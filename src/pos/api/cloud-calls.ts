import { type ContentRefusal, contentRefusal } from '../../base/http/body.ts';
import type { CloudAnswer, CloudCall, MessageTooLong } from '../../payment/contracts/cloud-link.ts';
import type { PosCallName, PosCalls, PosCaller } from '../contracts/pos-calls.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import { admit, type Admitted } from './admission.ts';
import { bodyRefusalAnswer } from './client-fault.ts';
import { readJsonRequest } from './json-request.ts';
import { type Answer, bodyOf, type ErrorDetail, errorAnswer, jsonHeaders } from './pos-response.ts';
import { askWith, queryOf, routes } from './routes.ts';

/** An answer, and how it is signed: the shorter one in its place is signed as well. */
type Signable = Answer & { readonly signed?: Admitted['signed'] };

export interface CloudCallsOptions {
  readonly calls: PosCalls;
  readonly authenticator: RequestAuthenticator;
  /** The @authority that calls are signed for: the terminal's name at the broker. */
  readonly authority: string;
  readonly bodyBytesMax: number;
  readonly onFailure: (error: unknown) => void;
}

/** A signature may be this old when its call begins something: a customer does not wait longer for the first answer. */
const lifeSMax = 60;
/** The two calls without a key, which six digits protect (docs/pairing.md). */
const pairingPaths: ReadonlySet<string> = new Set(['/sp/v1/pairing', '/sp/v1/pairing/reveal']);

/** Only through the cloud: a till of the shop's network is paired anew at the screen. */
const rotationPath = '/sp/v1/pairing/rotate';

const failed = { reason: 'internalError', message: 'the terminal failed to handle the request: enquire' } as const;
const nothing = { financialImpact: 'NONE' } as const;

/**
 * Answers calls that came through the broker. The transport is not trusted: a call must be signed, whatever the value
 * of `pairing.required`, and must contain its expiry.
 */
export class CloudCalls {
  readonly #options: CloudCallsOptions;
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
    // Bytes that are not UTF-8 would not be the signed bytes after decoding.
    const text = Buffer.from(body).toString();
    const unreadable = body.length > bodyBytesMax ? 'too-large' : unreadableOf(asked);
    const isRead = method === 'GET';
    const [path = ''] = target.split('?');
    if (method === 'POST' && pairingPaths.has(path)) {
      if (unreadable) return bodyRefusalAnswer(unreadable);
      const name = callNameOf(path, method);
      // Each till receives its answers on a topic of its own. If one has abandoned its pairing, another may pair.
      const caller = { address: `cloud ${answerTopic}`, isRemote: true } as const;
      return typeof name === 'string' ? this.#ask(name, asked, text, caller) : name;
    }
    const call = { scheme: 'https', method, target, headers: { ...fields, host: authority } } as const;
    const admission = await admit(authenticator, call, isRead ? undefined : text, { lifeSMax });
    if ('refused' in admission) return admission.refused;
    const { signed, key } = admission;
    const withSignature = (answer: Answer): Signable => ({ ...answer, signed });
    // An open path is a file, and files are not sent through the cloud.
    if (!key?.expiresAt) return unsignedFile;
    if (unreadable) return withSignature(bodyRefusalAnswer(unreadable));
    const name = path === rotationPath && method === 'POST' ? 'rotate' : callNameOf(path, method);
    if (typeof name !== 'string') return withSignature(name);
    const { posId, keyId, createdS, expiresAt } = key;
    const caller = { address: 'cloud', isRemote: true, posId, expiresAt, key: { keyId, createdS } } as const;
    return withSignature(await this.#ask(name, asked, text, caller));
  }

  async #ask(name: PosCallName, { method, target }: CloudCall, text: string, caller: PosCaller): Promise<Answer> {
    const { calls } = this.#options;
    if (method === 'GET') return askWith(calls, name, queryOf(target), caller);
    const read = readJsonRequest(text);
    return 'refused' in read ? read.refused : askWith(calls, name, read.body, caller);
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

/**
 * Replaces an answer that is too long for the broker. It does not contain the outcome of a payment: the till enquires.
 */
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

/** The name of a call; or the answer that refuses it. Files and streams are not available through the cloud. */
function callNameOf(path: string, method: string): PosCallName | Answer {
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!methods) return errorAnswer(404, 'NOT_FOUND', noPath, nothing);
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!route) {
    const message = `this path accepts ${Object.keys(methods).join(', ')}`;
    return errorAnswer(405, 'INVALID_PARAMETER', { reason: 'methodNotAllowed', message }, nothing);
  }
  return typeof route === 'string' ? route : errorAnswer(404, 'NOT_FOUND', noPath, nothing);
}
