import { bodyBytesMax, type Frame, MalformedFrame } from '../frame.ts';
import type { DialectFile } from './file.ts';
import { numberBytes, numberIn, prefixBytes } from './packing.ts';

const tpduBytes = 5;

/** Reads and writes the frames of a dialect. */
export class DialectFraming {
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #header: Buffer;
  readonly #trailer: Buffer;
  readonly #framing: DialectFile['framing'];

  constructor({ framing }: DialectFile) {
    this.#framing = framing;
    this.#before = Buffer.from(framing.before, 'hex');
    this.#after = Buffer.from(framing.after, 'hex');
    this.#header = Buffer.from(framing.header, 'hex');
    this.#trailer = Buffer.from(framing.trailer, 'hex');
  }

  /** The number of bytes before those that the length counts. */
  get lengthBytes(): number {
    return this.#before.length + prefixBytes(this.#framing.length) + this.#after.length;
  }

  /** The number of bytes between the length header and the message. */
  get leadBytes(): number {
    return (this.#framing.tpdu ? tpduBytes : 0) + this.#header.length;
  }

  get trailerBytes(): number {
    return this.#trailer.length;
  }

  /** The complete frame at the beginning of `held`; undefined if it is not complete. Throws MalformedFrame. */
  lengthOf(held: Buffer): number | undefined {
    if (held.length < this.lengthBytes) return undefined;
    const at = this.#before.length;
    const number = numberIn(held.subarray(at, at + prefixBytes(this.#framing.length)), this.#framing.length);
    const content = this.#framing.countsItself ? number - this.lengthBytes : number;
    if (Number.isNaN(content) || content < 0 || content > bodyBytesMax) throw new MalformedFrame('no frame length');
    return held.length < this.lengthBytes + content ? undefined : this.lengthBytes + content;
  }

  /** Reads a complete frame. Throws MalformedFrame. */
  open(frame: Buffer): Frame {
    const body = frame.subarray(this.lengthBytes);
    if (body.length < this.leadBytes + this.trailerBytes) throw new MalformedFrame('a frame without a message');
    const end = body.length - this.trailerBytes;
    if (!body.subarray(end).equals(this.#trailer)) throw new MalformedFrame('another trailer');
    return {
      tpdu: this.#framing.tpdu ? body.subarray(0, tpduBytes) : Buffer.alloc(0),
      message: body.subarray(this.leadBytes, end),
    };
  }

  /** Returns the bytes of a complete frame. */
  write(tpdu: Buffer, message: Buffer): Buffer {
    const content = Buffer.concat([tpdu, this.#header, message, this.#trailer]);
    return Buffer.concat([this.#lengthHeader(content.length), content]);
  }

  get empty(): Buffer {
    return this.#lengthHeader(0);
  }

  #lengthHeader(content: number): Buffer {
    const counted = this.#framing.countsItself ? content + this.lengthBytes : content;
    return Buffer.concat([this.#before, numberBytes(0, counted, this.#framing.length), this.#after]);
  }
}
