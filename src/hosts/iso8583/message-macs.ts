import { timingSafeEqual } from 'node:crypto';
import { MessageWriter } from '../../codecs/iso8583/encoding.ts';
import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import { type MessageMac, unpack } from '../../codecs/iso8583/message.ts';
import { computeMac } from '../../codecs/iso8583/mac.ts';
import type { MacAlgorithm, MacPadding } from '../../base/domain/mac-algorithm.ts';
import type { WireSpec } from './wire.ts';

export interface MacSettings {
  readonly algorithm: MacAlgorithm;
  readonly padding: MacPadding;
  /** Hexadecimal. */
  readonly key: { readonly fixed: string };
  /** The field that holds it, the last one of a message. */
  readonly field: 64 | 128;
  /** How many of its bytes count, from the left. The rest of the field is zero. */
  readonly bytes: 4 | 8;
  /** All before it, or these fields one after the other as they are sent; 0 is the message type, 1 the bitmap. */
  readonly over: 'message' | readonly number[];
  /** The types of messages that have one. Absent: all. */
  readonly types?: readonly string[] | undefined;
}

/** Where each part of a message stands. */
export type PartPlaces = ReadonlyMap<number, readonly [start: number, end: number]>;

const fieldBytes = 8;

/** The message authentication codes of one host: of the messages to it, and of those from it. */
export class MessageMacs {
  readonly #settings: MacSettings;
  readonly #spec: WireSpec;
  readonly #key: Uint8Array;

  /** Throws RangeError for a key that the algorithm does not take. */
  constructor(settings: MacSettings, spec: WireSpec) {
    this.#settings = settings;
    this.#spec = spec;
    this.#key = Buffer.from(settings.key.fixed, 'hex');
    this.#valueOver(new Uint8Array(fieldBytes));
  }

  /** For a message that is packed; undefined for one that has none. */
  of(mti: string): MessageMac | undefined {
    if (!this.#has(mti)) return undefined;
    const { field } = this.#settings;
    return { field, compute: (bytes) => this.#valueOver(this.#covered(bytes, placesBefore(this.#spec, bytes))) };
  }

  /** Whether a message that was read has the right one. One that need not have any may have none. */
  isValid(mti: string, bytes: Uint8Array, places: PartPlaces): boolean {
    const { field } = this.#settings;
    const place = places.get(field);
    if (!place) return !this.#has(mti);
    const [start, end] = place;
    const before = bytes.subarray(0, start);
    const expected = this.#written(this.#valueOver(this.#covered(before, places)));
    return expected.length === end - start && timingSafeEqual(expected, bytes.subarray(start, end));
  }

  #has(mti: string): boolean {
    return this.#settings.types?.includes(mti) ?? true;
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

  #valueOver(covered: Uint8Array): Uint8Array {
    const { algorithm, padding, bytes } = this.#settings;
    const value = new Uint8Array(fieldBytes);
    value.set(computeMac(algorithm, this.#key, covered, padding).subarray(0, bytes));
    return value;
  }

  /** As it stands in a message. */
  #written(value: Uint8Array): Uint8Array {
    const writer = new MessageWriter();
    this.#spec.fields[this.#settings.field]?.write(value as never, writer, this.#settings.field);
    return writer.written();
  }
}

/** The places of what is written so far: the bit of the code itself is set already, and its field is missing. */
function placesBefore(spec: WireSpec, bytes: Uint8Array): PartPlaces {
  const places = new Map<number, readonly [number, number]>();
  try {
    unpack(spec, bytes, (field, start, end) => places.set(field, [start, end]));
  } catch (error) {
    if (!(error instanceof Iso8583Error)) throw error;
  }
  return places;
}
