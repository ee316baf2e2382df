import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Aggregator } from './aggregator.ts';
import { Aim } from './aim.ts';
import { type AnswerBody, codeOnly } from './answers.ts';
import { bodyBytesMax, readBody } from './body.ts';
import type { Call } from './fields.ts';
import { type Admitted, admit, callOf, type Credentials } from './gate.ts';
import type { QfpayHostMode } from './mode.ts';
import { type AnsweredKind, type Outlet, type Reply, write } from './outlet.ts';
import { answerText, signature } from './signature.ts';

interface ServiceParts {
  readonly aggregator: Aggregator;
  readonly outlet: Outlet;
  readonly credentials: Credentials;
  mode(): QfpayHostMode;
  record(why: string, bytes?: Buffer): void;
  changed(): void;
}

/** Handles HTTP requests: authenticates, carries out, answers. */
export class Service {
  readonly #parts: ServiceParts;
  readonly #aim = new Aim();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** A mode was set: what is aimed counts from here. */
  begin(): void {
    this.#aim.begin();
  }

  /** A complete request is carried out, whether the client still waits or not. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const call = callOf(request);
    if (body.kind === 'cut') {
      if (this.#parts.mode().mode !== 'down') this.#parts.record('a connection that ended inside a request');
    } else if (body.kind === 'tooLong') {
      this.#refuse(response, 413, `a body of more than ${bodyBytesMax} bytes`);
    } else if (call === 404) {
      this.#refuse(response, 404, 'a path that does not exist', body.bytes);
    } else if (call === 405) {
      this.#refuse(response, 405, 'a method other than POST', body.bytes);
    } else {
      this.#answer(call, request, body.bytes, response);
    }
    this.#parts.changed();
  }

  #refuse(response: ServerResponse, status: number, finding: string, bytes?: Buffer): void {
    this.#parts.record(finding, bytes);
    write(response, status, '', { connection: 'close', ...(status === 405 && { allow: 'POST' }) });
  }

  #answer(call: Call, request: IncomingMessage, bytes: Buffer, response: ServerResponse): void {
    const { aggregator, outlet, credentials } = this.#parts;
    const admitted = admit(request, bytes, credentials);
    const mode = this.#aim.modeFor(call, this.#parts.mode());
    const kind = kindOf(call);
    if ('respcd' in admitted) {
      this.#parts.record(admitted.finding, bytes);
      // Unsigned, because the client is unknown.
      outlet.deliver(response, { kind, ...reply(codeOnly(admitted.respcd)) }, mode);
      return;
    }
    const { body, finding, shown } = aggregator.answer(call, admitted.form, mode);
    if (finding !== undefined) this.#parts.record(finding, bytes);
    const onSent = (): void => {
      if (shown?.kind !== 'SALE' || !shown.code) return;
      shown.code.sent = true;
      this.#parts.changed();
    };
    outlet.deliver(response, { kind, ...this.#signed(body, admitted, mode), onSent }, mode);
  }

  #signed(body: AnswerBody, admitted: Admitted, mode: QfpayHostMode): Pick<Reply, 'body' | 'headers'> {
    const { body: text, headers } = reply(body);
    const { badSignature = false, answerSignature = 'body', answerSignType = admitted.signType } = mode;
    const key = this.#parts.credentials.key + (badSignature ? '.' : '');
    const data = answerText(body, key);
    const unpublished = data ?? `data=${JSON.stringify(body['data'])}${key}`;
    const signed = { body: text + key, data, none: undefined, unpublished }[answerSignature];
    if (signed === undefined) return { body: text, headers };
    const sign = signature(signed, answerSignType);
    return { body: text, headers: { ...headers, 'x-qf-sign': sign, 'x-qf-signtype': answerSignType } };
  }
}

function kindOf(call: Call): AnsweredKind {
  switch (call) {
    case 'payment':
    case 'refund':
      return 'money';
    case 'query':
      return 'enquiry';
    case 'reversal':
    case 'close':
      return 'ending';
    default:
      return call satisfies never;
  }
}

function reply(body: AnswerBody): Pick<Reply, 'body' | 'headers'> {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json; charset=utf-8' } };
}
