import { timingSafeEqual } from 'node:crypto';
import { type HostMac, messageMac } from '../../crypto/message-mac.ts';
import type { Frame } from './frame.ts';
import type { HostKeys, KeyPair } from './host-keys.ts';
import type { FrameSplitter, HostWire } from './host-wire.ts';
import { mtiOf, partLast, withLast } from './last-field.ts';
import { MalformedMessage, type Message } from './message.ts';
import type { AnswerMode } from './mode.ts';
import type { NetworkRequest } from './network-request.ts';

/**
 * The agreement of a host and its terminals on authentication codes: the last field of a message authenticates all
 * bytes before it.
 */
export interface Agreed {
  readonly algorithm: HostMac;
  readonly field: 64 | 128;
  readonly keys: HostKeys;
  /** Types of the messages without a code; all others have one. */
  readonly without?: readonly string[];
}

/** A wire whose messages have an authentication code. A request without a right code is malformed. */
export class SealedWire implements HostWire {
  readonly #wire: HostWire;
  readonly #agreed: Agreed;

  constructor(wire: HostWire, agreed: Agreed) {
    this.#wire = wire;
    this.#agreed = agreed;
  }

  get form(): HostWire['form'] {
    return this.#wire.form;
  }

  get emptyFrame(): Buffer {
    return this.#wire.emptyFrame;
  }

  get needsSignOn(): boolean {
    return this.#wire.needsSignOn === true;
  }

  splitter(): FrameSplitter {
    return this.#wire.splitter();
  }

  frame(tpdu: Frame['tpdu'], message: Buffer): Buffer {
    return this.#wire.frame(tpdu, message);
  }

  network(bytes: Buffer): NetworkRequest | undefined {
    const { rest, pair } = this.#open(bytes);
    const request = this.#wire.network?.(rest);
    if (!request) return undefined;
    return { ...request, answer: (code, mode, key) => this.#close(request.answer(code, mode, key), pair, mode) };
  }

  read(bytes: Buffer): Message {
    return this.#wire.read(this.#open(bytes).rest);
  }

  write(answer: Message, request: Buffer, mode: AnswerMode): Buffer {
    const { rest, pair } = this.#open(request);
    return this.#close(this.#wire.write(answer, rest, mode), pair, mode);
  }

  /**
   * The answer to a request whose key is not the host's or was used before. Undefined if there is none. Called once for
   * each request. Throws MalformedMessage.
   */
  refusal(request: Buffer, mode: AnswerMode): Buffer | undefined {
    const { algorithm, field, keys } = this.#agreed;
    const code = this.#wire.outOfStepCode;
    const parted = this.#has(request) ? partLast(request, field, this.form) : undefined;
    if (!parted || code === undefined) return undefined;
    const isUnder = (pair: KeyPair) => isRight(messageMac(algorithm, pair.request, parted.before), parted.value);
    const own = keys.pairsFor(parted.rest).find(isUnder);
    if (own && (keys.isFresh?.(parted.rest) !== false || mode.acceptsUsedKeys === true)) return undefined;
    const pair = own ?? keys.refusing?.(isUnder);
    if (!pair) return undefined;
    const network = this.#wire.network?.(parted.rest);
    const answer =
      network?.answer(code, mode) ?? this.#wire.write({ mti: '', fields: new Map([[39, code]]) }, parted.rest, mode);
    return this.#close(answer, pair, mode);
  }

  #has(message: Buffer): boolean {
    return this.#agreed.without?.includes(mtiOf(message, this.form)) !== true;
  }

  /** The request without its code, and the keys of that code. */
  #open(request: Buffer): { rest: Buffer; pair: KeyPair | undefined } {
    if (!this.#has(request)) return { rest: request, pair: undefined };
    const { algorithm, field, keys } = this.#agreed;
    const parted = partLast(request, field, this.form);
    const pairs = parted ? keys.pairsFor(parted.rest) : [];
    const pair = pairs.find(
      (each) => parted && isRight(messageMac(algorithm, each.request, parted.before), parted.value),
    );
    if (!parted || !pair) throw new MalformedMessage(field, 'no right authentication code');
    return { rest: parted.rest, pair };
  }

  /** Adds the code to an answer. `wrongMac`: a wrong code. */
  #close(answer: Buffer, pair: KeyPair | undefined, { wrongMac = false }: AnswerMode): Buffer {
    if (!pair || !this.#has(answer)) return answer;
    const { algorithm, field } = this.#agreed;
    return withLast(answer, field, this.form, (before) => {
      const mac = Buffer.from(messageMac(algorithm, pair.answer, before));
      if (wrongMac) mac.writeUInt8(mac.readUInt8(0) ^ 0x80, 0);
      return mac;
    });
  }
}

function isRight(mac: Buffer, value: Buffer): boolean {
  return mac.length === value.length && timingSafeEqual(mac, value);
}
