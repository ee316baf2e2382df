/**
 * Frames of the ID TECH NEO2 protocol 2, "ViVOtech2" (NEO 2 Interface Developer's Guide 80139403-002, p.28 and 59-60).
 *
 * Command: header tag (10 bytes), command, sub-command, data length (2, big-endian), data, CRC with the low byte
 * first. Answer: the same with the status in place of the sub-command, and the CRC with the high byte first.
 */

const header = Uint8Array.from(Buffer.from('ViVOtech2\0', 'latin1'));
const headBytes = header.length + 4;
const crcBytes = 2;

/** Unsolicited events of lights, buzzer and display ("E\0U\0", length, data, CRC high byte first): p.60. */
const eventTag = Uint8Array.from(Buffer.from('E\0U\0', 'latin1'));
const eventHeadBytes = eventTag.length + 1;

/** An encrypted card answer has about 600 bytes; a length over this limit is damaged. */
export const dataBytesMax = 2048;

/**
 * A terminal sends the low byte first, a reader the high byte; in pass-through (2C-xx) both send the high byte first.
 */
export type CrcOrder = 'lsb-first' | 'msb-first';

export type Decoded =
  | { readonly kind: 'frame'; readonly command: number; readonly status: number; readonly data: Uint8Array }
  | { readonly kind: 'event'; readonly data: Uint8Array }
  /** Bytes began like a frame, but CRC or length were wrong. */
  | { readonly kind: 'corrupt' };

/** CRC-16/CCITT-FALSE: polynomial 1021, initial FFFF, nothing reflected (p.60). */
export function crc16(bytes: Uint8Array, count: number = bytes.length): number {
  let crc = 0xffff;
  for (let at = 0; at < count; at++) {
    crc ^= (bytes[at] ?? 0) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc;
}

/** Builds a command, or with 'msb-first' an answer. `subCommand` is the status of an answer. */
export function encodeFrame(
  command: number,
  subCommand: number,
  data: Uint8Array = new Uint8Array(),
  order: CrcOrder = 'lsb-first',
): Uint8Array {
  if (data.length > dataBytesMax) throw new RangeError(`frame data of ${data.length} bytes`);
  const frame = new Uint8Array(headBytes + data.length + crcBytes);
  frame.set(header);
  frame.set([command, subCommand, data.length >> 8, data.length & 0xff], header.length);
  frame.set(data, headBytes);
  const crc = crc16(frame.subarray(0, -crcBytes));
  const [high, low] = [crc >> 8, crc & 0xff];
  frame.set(order === 'lsb-first' ? [low, high] : [high, low], headBytes + data.length);
  return frame;
}

/**
 * Assembles whole frames from bytes. Garbage never stops it: it scans for the next header tag, also inside a damaged
 * frame. It returns copies, and overwrites the bytes that it has consumed.
 */
export class FrameDecoder {
  readonly #order: CrcOrder;
  readonly #buffer = new Uint8Array(headBytes + dataBytesMax + crcBytes);
  #used = 0;
  #noise = false;

  constructor(order: CrcOrder) {
    this.#order = order;
  }

  /** Bytes are buffered that belong to no whole frame yet: the start of a frame, or garbage. */
  get unfinished(): boolean {
    return this.#used > 0 || this.#noise;
  }

  push(chunk: Uint8Array): Decoded[] {
    const found: Decoded[] = [];
    let at = 0;
    while (at < chunk.length) {
      // drain() leaves at least one byte free: a frame that fills the buffer is complete.
      const part = chunk.subarray(at, at + this.#buffer.length - this.#used);
      this.#buffer.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      this.#drain(found);
    }
    return found;
  }

  /** No more bytes came: drops the incomplete frame, and returns whole frames inside it. */
  giveUp(): Decoded[] {
    const found: Decoded[] = [];
    while (this.#used > 0) {
      found.push({ kind: 'corrupt' });
      this.#discard(1);
      this.#drain(found);
    }
    if (this.#noise && found.length === 0) found.push({ kind: 'corrupt' });
    this.#noise = false;
    return found;
  }

  /** Forgets everything, for a new connection. */
  reset(): void {
    this.#discard(this.#used);
    this.#noise = false;
  }

  #drain(found: Decoded[]): void {
    while (this.#scan()) {
      const [tag, size] = this.#measure();
      if (size === undefined) return;
      if (size > this.#buffer.length) {
        found.push({ kind: 'corrupt' });
        this.#discard(1);
        continue;
      }
      if (this.#used < size) return;
      if (!this.#crcHolds(size, tag === header ? this.#order : 'msb-first')) {
        found.push({ kind: 'corrupt' });
        this.#discard(1);
        continue;
      }
      found.push(this.#take(tag, size));
      this.#noise = false;
    }
  }

  /** Moves the first possible header to the front. False if there is none. */
  #scan(): boolean {
    let start = 0;
    while (start < this.#used && !this.#begins(header, start) && !this.#begins(eventTag, start)) start++;
    if (start > 0) this.#noise = true;
    this.#discard(start);
    return this.#used > 0;
  }

  /** Whether the bytes from `start` are `tag`, or, at the end of the buffer, its beginning. */
  #begins(tag: Uint8Array, start: number): boolean {
    const count = Math.min(tag.length, this.#used - start);
    for (let i = 0; i < count; i++) if (this.#buffer[start + i] !== tag[i]) return false;
    return true;
  }

  /** The tag at the front, and the frame's size once its length bytes have arrived. */
  #measure(): readonly [tag: Uint8Array, size?: number] {
    const isFrame = this.#begins(header, 0);
    const tag = isFrame ? header : eventTag;
    if (this.#used < (isFrame ? headBytes : eventHeadBytes)) return [tag];
    const length = (at: number) => this.#buffer[at] ?? 0;
    const size = isFrame
      ? headBytes + (length(headBytes - 2) << 8) + length(headBytes - 1)
      : eventHeadBytes + length(eventTag.length);
    return [tag, size + crcBytes];
  }

  #crcHolds(size: number, order: CrcOrder): boolean {
    const crc = crc16(this.#buffer, size - crcBytes);
    const first = this.#buffer[size - 2] ?? 0;
    const second = this.#buffer[size - 1] ?? 0;
    return crc === (order === 'msb-first' ? (first << 8) | second : (second << 8) | first);
  }

  #take(tag: Uint8Array, size: number): Decoded {
    const isFrame = tag === header;
    const data = this.#buffer.slice(isFrame ? headBytes : eventHeadBytes, size - crcBytes);
    const command = this.#buffer[header.length] ?? 0;
    const status = this.#buffer[header.length + 1] ?? 0;
    this.#discard(size);
    return isFrame ? { kind: 'frame', command, status, data } : { kind: 'event', data };
  }

  /** Drops bytes from the front, and overwrites them. */
  #discard(count: number): void {
    if (count === 0) return;
    this.#buffer.copyWithin(0, count, this.#used);
    this.#buffer.fill(0, this.#used - count, this.#used);
    this.#used -= count;
  }
}
