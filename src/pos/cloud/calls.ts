import { type CallRoom, callRoomOf } from '../../base/domain/call-room.ts';
import {
  type CloudAnswer,
  type CloudCall,
  type CloudLink,
  type CloudMessage,
  MessageTooLong,
} from '../../payment/contracts/cloud-link.ts';

export interface CallsOptions {
  readonly link: Pick<CloudLink, 'publish' | 'subscribe'>;
  /** The prefix of the terminal's own topics: poid/v1/T-1. */
  readonly root: string;
  /** Never rejects. */
  readonly answer: (call: CloudCall) => Promise<CloudAnswer>;
  /** Calls of one room that are answered at one time, signed or not. */
  readonly atOnceMax?: number;
}

/** A till that has disconnected needs no answer. */
const answerS = 60;
/** Longer than a signature may be valid. */
const expirySMax = 60;
const correlationBytesMax = 64;
const answerTopic = /^answer\/[A-Za-z0-9-]{1,64}$/;

/** The headers of a signature (RFC 9421, RFC 9530), and of the body's type. Others are not passed on. */
const carried = ['content-digest', 'content-encoding', 'content-type', 'signature-input', 'signature'] as const;

/** Answers the calls on the topic `call`, each on the topic that it names below the terminal's own `answer`. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #stop: () => void;
  readonly #underWay: Readonly<Record<CallRoom, Set<Promise<void>>>> = {
    payment: new Set(),
    recovery: new Set(),
    other: new Set(),
  };

  constructor(options: CallsOptions) {
    this.#options = options;
    const only = { skipsRetained: true, acknowledgedOnly: true };
    this.#stop = options.link.subscribe('call', (message) => this.#hear(message), only);
  }

  /** Resolves when the received calls are answered. */
  async close(): Promise<void> {
    this.#stop();
    await Promise.all(Object.values(this.#underWay).flatMap((calls) => [...calls]));
  }

  /** A message that can't be answered is dropped: the broker may have forged it, and a till calls again. */
  #hear(message: CloudMessage): void {
    const { root, atOnceMax = 128 } = this.#options;
    const { responseTopic = '', correlation = new Uint8Array(), expiryS = 0 } = message;
    // Another topic than the terminal's own would let a caller write where only the terminal may.
    const topic = responseTopic.startsWith(`${root}/`) ? responseTopic.slice(root.length + 1) : '';
    const call = callOf(message, topic);
    const underWay = this.#underWay[callRoomOf(call?.target ?? '')];
    if (!answerTopic.test(topic) || correlation.length === 0 || correlation.length > correlationBytesMax) return;
    if (!call || expiryS < 1 || expiryS > expirySMax || message.retain || underWay.size >= atOnceMax) return;
    const answered = this.#answer(call, topic, correlation).finally(() => underWay.delete(answered));
    underWay.add(answered);
  }

  async #answer(call: CloudCall, topic: string, correlation: Uint8Array): Promise<void> {
    const answered = await this.#options.answer(call);
    const publish = (answer: CloudAnswer) => this.#options.link.publish(topic, answerMessage(answer, correlation));
    await publish(answered)
      .catch((error: unknown) => {
        if (error instanceof MessageTooLong && answered.inShort) return publish(answered.inShort(error));
        throw error;
      })
      // Without a connection the answer is lost: the till calls again, or enquires.
      .catch(() => undefined);
  }
}

function callOf({ properties = {}, payload, contentType }: CloudMessage, topic: string): CloudCall | undefined {
  const { method = '', target = '' } = properties;
  if (!/^(?:GET|POST)$/.test(method) || !/^\/[\x21-\x7e]{0,1023}$/.test(target)) return undefined;
  const fields = carried.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]] as const]));
  const type = contentType === undefined ? {} : { contentType };
  return { answerTopic: topic, method, target, fields: Object.fromEntries(fields), ...type, body: payload };
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
