/**
 * Frames of ID TECH's NEO2 protocol ("ViVOtech2") as the reader sees them: NEO 2 Interface Developer's Guide
 * 80139403-002 Rev 88.1 ("IDG"), p.28, 32, 60. Commands end with the CRC's low byte first, responses with the high
 * one.
 */
export interface Command {
  readonly command: number;
  readonly subCommand: number;
  readonly data: Buffer;
  /** The whole frame, as it came. */
  readonly bytes: Buffer;
}

/** `noise`: bytes that begin no frame; `badCrc`: a whole frame with a wrong CRC; `tooLong`: longer than the limit. */
export type Arrival =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'noise' | 'badCrc' | 'tooLong' | 'incomplete'; readonly bytes: Buffer };

/** 'ViVOtech2' and a zero byte. */
const headerTag = Buffer.from('ViVOtech2\0', 'latin1');
const lengthAt = 12;
const dataAt = 14;
const crcBytes = 2;

/** Limit of a data field; the longest known command, 60-06 with all its tags, has about 300 bytes. */
const dataBytesMax = 2048;

/** CRC-16/CCITT-FALSE: polynomial 1021, initial value FFFF, not reflected (IDG p.60). */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc;
}

/** A response: the command that it answers, a status code, and data. */
export function responseFrame(command: number, status: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(dataAt);
  headerTag.copy(head);
  head[10] = command;
  head[11] = status;
  head.writeUInt16BE(data.length, lengthAt);
  const body = Buffer.concat([head, data]);
  const tail = Buffer.alloc(crcBytes);
  tail.writeUInt16BE(crc16(body));
  return Buffer.concat([body, tail]);
}

/** Length of the frame at the start of the bytes; undefined if they begin no frame, or too few have come. */
export function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < dataAt || !bytes.subarray(0, headerTag.length).equals(headerTag)) return undefined;
  return dataAt + bytes.readUInt16BE(lengthAt) + crcBytes;
}

/** Position of the first header, or beginning of one, from `from` on; the end of the bytes if there is none. */
export function headerStart(bytes: Buffer, from: number): number {
  const whole = bytes.indexOf(headerTag, from);
  if (whole !== -1) return whole;
  const { length } = bytes;
  for (let at = Math.max(from, length - headerTag.length + 1); at < length; at++) {
    if (bytes.subarray(at).equals(headerTag.subarray(0, length - at))) return at;
  }
  return length;
}

/** Cuts a stream of bytes into commands, and reports all bytes between them. */
export class CommandDecoder {
  #buffer: Buffer = Buffer.alloc(0);

  /** Bytes that may still become a frame. */
  get pendingBytes(): number {
    return this.#buffer.length;
  }

  push(chunk: Buffer): Arrival[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const arrivals: Arrival[] = [];
    for (let arrival = this.#next(); arrival !== undefined; arrival = this.#next()) arrivals.push(arrival);
    return arrivals;
  }

  /** Drops an incomplete frame. A whole frame inside its announced length is still found. */
  abandon(): Arrival[] {
    const inside = this.#buffer.indexOf(headerTag, 1);
    const bytes = this.#take(inside === -1 ? this.#buffer.length : inside);
    if (bytes.length === 0) return [];
    return [{ kind: 'incomplete', bytes }, ...this.push(Buffer.alloc(0))];
  }

  #next(): Arrival | undefined {
    const noise = headerStart(this.#buffer, 0);
    if (noise > 0) return { kind: 'noise', bytes: this.#take(noise) };
    if (this.#buffer.length < dataAt) return undefined;
    const dataLength = this.#buffer.readUInt16BE(lengthAt);
    // Of an invalid frame only the header is dropped: a whole frame may stand inside its announced length.
    if (dataLength > dataBytesMax) return { kind: 'tooLong', bytes: this.#take(headerTag.length) };
    const crcAt = dataAt + dataLength;
    const end = crcAt + crcBytes;
    if (this.#buffer.length < end) return undefined;
    if (this.#buffer.readUInt16LE(crcAt) !== crc16(this.#buffer.subarray(0, crcAt))) {
      return { kind: 'badCrc', bytes: this.#take(Math.min(end, headerStart(this.#buffer, 1))) };
    }
    const bytes = this.#take(end);
    return {
      kind: 'command',
      command: {
        command: bytes.readUInt8(10),
        subCommand: bytes.readUInt8(11),
        data: bytes.subarray(dataAt, crcAt),
        bytes,
      },
    };
  }

  #take(length: number): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, length));
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }
}
