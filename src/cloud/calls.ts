import type { CloudAnswer, CloudCall, CloudLink, CloudMessage } from '../ports/cloud-link.ts';

export interface CallsOptions {
  readonly link: Pick<CloudLink, 'publish' | 'subscribe'>;
  /** What the terminal's own topics begin with: poid/v1/T-1. */
  readonly root: string;
  /** Never rejects. */
  readonly answer: (call: CloudCall) => Promise<CloudAnswer>;
  /** Calls that are answered at one time, signed or not. */
  readonly atOnceMax?: number;
}

/** A till that is not there any more needs no answer. */
const answerS = 60;
/** Longer than a signature may be good. */
const expirySMax = 60;
const correlationBytesMax = 64;
const answerTopic = /^answer\/[A-Za-z0-9-]{1,64}$/;

/** What carries a signature (RFC 9421, RFC 9530). Others are not passed on. */
const carried = ['content-digest', 'signature-input', 'signature'] as const;

/** Answers what arrives on the topic `call`, each to the topic that it names below the terminal's own `answer`. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #stop: () => void;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: CallsOptions) {
    this.#options = options;
    const only = { skipsRetained: true, acknowledgedOnly: true };
    this.#stop = options.link.subscribe('call', (message) => this.#hear(message), only);
  }

  /** Resolves when the calls that were heard are answered. */
  async close(): Promise<void> {
    this.#stop();
    await Promise.all(this.#underWay);
  }

  /** What can't be answered is dropped: the broker may have made it up, and a till asks again. */
  #hear(message: CloudMessage): void {
    const { root, atOnceMax = 128 } = this.#options;
    const { responseTopic = '', correlation = new Uint8Array(), expiryS = 0 } = message;
    // Another topic than the terminal's own would let a caller write where only the terminal may.
    const topic = responseTopic.startsWith(`${root}/`) ? responseTopic.slice(root.length + 1) : '';
    const call = callOf(message, topic);
    if (!answerTopic.test(topic) || correlation.length === 0 || correlation.length > correlationBytesMax) return;
    if (!call || expiryS < 1 || expiryS > expirySMax || message.retain || this.#underWay.size >= atOnceMax) return;
    const answered = this.#answer(call, topic, correlation).finally(() => this.#underWay.delete(answered));
    this.#underWay.add(answered);
  }

  async #answer(call: CloudCall, topic: string, correlation: Uint8Array): Promise<void> {
    const told = await this.#options.answer(call);
    // Without a connection nobody hears it: the till asks again, or enquires.
    await this.#options.link.publish(topic, answerMessage(told, correlation)).catch(() => undefined);
  }
}

function callOf({ properties = {}, payload }: CloudMessage, topic: string): CloudCall | undefined {
  const { method = '', target = '' } = properties;
  if (!/^(?:GET|POST)$/.test(method) || !/^\/[\x21-\x7e]{0,1023}$/.test(target)) return undefined;
  const fields = carried.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]] as const]));
  return { answerTopic: topic, method, target, fields: Object.fromEntries(fields), body: payload };
}

function answerMessage({ status, fields, body }: CloudAnswer, correlation: Uint8Array): CloudMessage {
  return {
    payload: Buffer.from(body),
    qos: 1,
    expiryS: answerS,
    correlation,
    properties: { ...fields, status: String(status) },
  };
}
