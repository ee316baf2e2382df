import { timingSafeEqual } from 'node:crypto';
import { MessageWriter } from '../../codecs/iso8583/encoding.ts';
import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import { type MessageMac, pack, unpack } from '../../codecs/iso8583/message.ts';
import { computeMac } from '../../codecs/iso8583/mac.ts';
import type { MacAlgorithm, MacPadding } from '../../base/domain/mac-algorithm.ts';
import { fieldValue } from './content.ts';
import type { HostMessage, KsnField } from './dialect.ts';
import type { DukptSettings } from './dukpt-keys.ts';
import type { KeyPair, MacKeys } from './mac-keys.ts';
import type { SessionKeySettings } from './session-keys.ts';
import type { WireSpec } from './wire.ts';

export interface MacSettings {
  readonly algorithm: MacAlgorithm;
  readonly padding: MacPadding;
  /** Exactly one of these is set. `fixed` is hexadecimal. */
  readonly key: {
    readonly fixed?: string | undefined;
    readonly session?: SessionKeySettings | undefined;
    readonly dukpt?: DukptSettings | undefined;
  };
  /** The field of the code, the last one of a message. */
  readonly field: 64 | 128;
  /** The number of bytes of the code that count, from the left. The rest of the field is zero. */
  readonly bytes: 4 | 8;
  /** The input: all bytes before the code, or these fields in sequence as sent; 0 is the message type, 1 the bitmap. */
  readonly over: 'message' | readonly number[];
  /** The types of messages that have a code. Absent: all except those that are sent before a key exists. */
  readonly types?: readonly string[] | undefined;
}

/** The place of each part of a message. */
export type PartPlaces = ReadonlyMap<number, readonly [start: number, end: number]>;

const fieldBytes = 8;

interface MessageMacsOptions {
  readonly settings: MacSettings;
  readonly spec: WireSpec;
  readonly keys: MacKeys;
  /** Types of messages without a code, if the settings name no types. */
  readonly without?: readonly string[] | undefined;
  /** The field of the key serial number. Undefined: the number is not sent. */
  readonly ksnField?: KsnField | undefined;
}

/** A packed message, and the keys of its code and of its answer's code; absent if it has none. */
export interface SealedMessage {
  readonly bytes: Uint8Array;
  readonly request: HostMessage;
  readonly pair?: KeyPair;
}

/** The message authentication codes of one host, in both directions. */
export class MessageMacs {
  readonly #settings: MacSettings;
  readonly #spec: WireSpec;
  readonly #keys: MacKeys;
  readonly #without: readonly string[];
  readonly #ksnField: KsnField | undefined;

  /** Throws RangeError for a key that the algorithm does not accept. */
  constructor({ settings, spec, keys, without = [], ksnField }: MessageMacsOptions) {
    this.#settings = settings;
    this.#spec = spec;
    this.#keys = keys;
    this.#without = without;
    this.#ksnField = ksnField;
    for (const { request } of keys.recent) this.#valueOver(request, new Uint8Array(fieldBytes));
  }

  /** Packs a request with a code under the next key. Undefined: there is no key. Throws Iso8583Error. */
  async pack(request: HostMessage): Promise<SealedMessage | undefined> {
    if (!this.#has(request.mti)) return { bytes: pack(this.#spec, request), request };
    const pair = await this.#keys.next();
    if (!pair) return undefined;
    const sent = this.#withKsn(request, pair);
    try {
      return { bytes: pack(this.#spec, sent, this.#macUnder(pair.request)), request: sent, pair };
    } finally {
      // The key is used for this message only.
      if (pair.ksn) pair.request.fill(0);
    }
  }

  #withKsn(request: HostMessage, { ksn }: KeyPair): HostMessage {
    if (!ksn) return request;
    if (!this.#ksnField) throw new RangeError('the serial number of the key has no field');
    const { number } = this.#ksnField;
    const value = fieldValue('macKsn', { values: { macKsn: ksn }, settings: {} }, this.#ksnField);
    return { ...request, fields: { ...request.fields, [number]: value } };
  }

  #macUnder(key: Uint8Array): MessageMac {
    const { field } = this.#settings;
    return { field, compute: (bytes) => this.#valueOver(key, this.#covered(bytes, placesBefore(this.#spec, bytes))) };
  }

  /**
   * Judges the code of a received message. none: the message has no code, and needs none. `pairs`: the keys of the
   * request that it answers. Without them, the keys of any recent request are valid.
   */
  judge(mti: string, bytes: Uint8Array, places: PartPlaces, pairs?: readonly KeyPair[]): 'right' | 'wrong' | 'none' {
    const { field } = this.#settings;
    const place = places.get(field);
    if (!place) return this.#has(mti) ? 'wrong' : 'none';
    const [start, end] = place;
    const before = bytes.subarray(0, start);
    const [covered, own] = [this.#covered(before, places), bytes.subarray(start, end)];
    const isRight = (pairs ?? this.#keys.recent).some(({ answer }) => {
      const expected = this.#written(this.#valueOver(answer, covered));
      return expected.length === own.length && timingSafeEqual(expected, own);
    });
    return isRight ? 'right' : 'wrong';
  }

  #has(mti: string): boolean {
    return this.#settings.types?.includes(mti) ?? !this.#without.includes(mti);
  }

  #covered(before: Uint8Array, places: PartPlaces): Uint8Array {
    const { over } = this.#settings;
    if (over === 'message') return before;
    return Buffer.concat(
      over.flatMap((field) => {
        const place = places.get(field);
        return place ? [before.subarray(...place)] : [];
      }),
    );
  }

  #valueOver(key: Uint8Array, covered: Uint8Array): Uint8Array {
    const { algorithm, padding, bytes } = this.#settings;
    const value = new Uint8Array(fieldBytes);
    value.set(computeMac(algorithm, key, covered, padding).subarray(0, bytes));
    return value;
  }

  /** The code in the encoding of its field. */
  #written(value: Uint8Array): Uint8Array {
    const writer = new MessageWriter();
    this.#spec.fields[this.#settings.field]?.write(value as never, writer, this.#settings.field);
    return writer.written();
  }
}

/** The places of the parts before the code. The bitmap already has the code's bit, but its field is still missing. */
function placesBefore(spec: WireSpec, bytes: Uint8Array): PartPlaces {
  const places = new Map<number, readonly [number, number]>();
  try {
    unpack(spec, bytes, (field, start, end) => places.set(field, [start, end]));
  } catch (error) {
    if (!(error instanceof Iso8583Error)) throw error;
  }
  return places;
}
