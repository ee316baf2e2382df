import type {
  CardInterface,
  CollectOutcome,
  CollectRequest,
  EncryptedCard,
} from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { cryptogramOf } from '../device-lane.ts';
import { protocolError } from '../protocol-error.ts';
import { armedInterfaces, refuseOther } from '../transaction-request.ts';
import { keptObjects, readObjects, readerError, chipCard, magstripeCard } from './presented-card.ts';
import { status, statusText } from './status.ts';

/** Error codes in FFEE1F: IDG p.32. */
const outcomeOfError: ReadonlyMap<number, CollectOutcome> = new Map<number, CollectOutcome>([
  [0x21, { kind: 'tryAgain', reason: 'collision' }],
  [0x22, { kind: 'refused', reason: 'over-limit' }],
  [0x24, { kind: 'tryAgain', reason: 'read-error' }],
  [0x25, { kind: 'refused', reason: 'blocked' }],
  [0x26, { kind: 'refused', reason: 'expired' }],
  [0x27, { kind: 'refused', reason: 'unsupported' }],
  [0x30, { kind: 'tryAgain', reason: 'card-lost' }],
]);

const genericError = 0x62;

/** Second byte of FFEE1F after a generic error: assumed (fixtures/README.md), unverified on hardware. */
const outcomeOfGenericError: ReadonlyMap<number, CollectOutcome> = new Map<number, CollectOutcome>([
  [0x07, { kind: 'tryAgain', reason: 'use-magstripe' }],
  [0x08, { kind: 'tryAgain', reason: 'use-chip' }],
]);

/**
 * Reads the answer to 02-40. Throws DeviceError 'protocol' if it breaks the protocol, has another amount than
 * `request`, or comes from an interface that was not armed; 'refused' for a status that is no outcome. The caller owns
 * `data` and overwrites it; only copies of permitted objects are kept.
 */
export function collectOutcome(code: number, data: Uint8Array, request: CollectRequest): CollectOutcome {
  switch (code) {
    case status.ok:
    case status.requestOnline:
      return cardOutcome(code, data, request);
    case status.timeout:
      return { kind: 'timeout' };
    case status.failed:
      return failure(readerError(data));
    case status.badHeader:
    case status.crcError:
      // The command was damaged on the wire, and the reader was never armed.
      return { kind: 'tryAgain', reason: 'read-error' };
    default:
      throw new DeviceError('refused', `reader answered 02-40 with status ${statusText(code)}`);
  }
}

function failure(bytes: Uint8Array): CollectOutcome {
  const [code, detail] = [bytes[0] ?? 0, bytes[1] ?? 0];
  const found = code === genericError ? outcomeOfGenericError.get(detail) : outcomeOfError.get(code);
  // An unknown error allows another try: the request's own time-out ends the tries.
  return found ?? { kind: 'tryAgain', reason: 'read-error' };
}

/**
 * The first byte of the data: IDG p.232-233. Bits 7 and 6 show whether card data is encrypted for chip and for
 * magstripe. The document does not state clearly which bit is which, so both must be set.
 */
const attribution = { encrypted: 0xc0, origin: 0x19, scheme: 0x06, tdes: 0x00, aes: 0x02 };

/** Bits 4, 3 and 0: 000 contact, 001 contactless, 101 contactless in magstripe mode, 01x magstripe. */
const originOf: ReadonlyMap<number, CardInterface | 'contactless-magstripe'> = new Map([
  [0x00, 'chip'],
  [0x01, 'contactless'],
  [0x11, 'contactless-magstripe'],
  [0x08, 'magstripe'],
  [0x09, 'magstripe'],
]);

function cardOutcome(code: number, data: Uint8Array, request: CollectRequest): CollectOutcome {
  const first = data[0];
  if (first === undefined) throw protocolError('no data');
  const objects = readObjects(data.subarray(1));
  if ((first & attribution.encrypted) !== attribution.encrypted) throw protocolError('encryption is off');
  const origin = originOf.get(first & attribution.origin);
  const used = origin === 'contactless-magstripe' ? 'contactless' : origin;
  if (used === undefined || !armedInterfaces(request).has(used)) {
    throw protocolError('an interface that was not armed');
  }
  // Magnetic-stripe mode over contactless has no cryptogram for the issuer to check.
  if (origin === 'contactless-magstripe') return { kind: 'refused', reason: 'unsupported' };
  const emv = keptObjects(objects);
  refuseOther(request, emv);
  if (used === 'magstripe') return { kind: 'card', card: magstripeCard(schemeOf(first), objects, emv) };
  const cryptogram = cryptogramOf(emv);
  switch (cryptogram) {
    case 'AAC':
      return { kind: 'refused', reason: 'declined' };
    case 'ARQC':
      // With any other status the reader has ended the chip's transaction, and accepts no decision for it.
      if (used === 'chip' && code !== status.requestOnline) throw protocolError('a chip that does not wait');
      return { kind: 'card', card: chipCard(used === 'chip' ? 'CHIP' : 'CONTACTLESS', schemeOf(first), objects, emv) };
    case 'TC':
      // The card approved offline. This terminal accepts only online approvals, so it must not lead to a payment.
      return { kind: 'refused', reason: 'unsupported' };
    default:
      return cryptogram satisfies never;
  }
}

function schemeOf(attributes: number): EncryptedCard['scheme'] {
  switch (attributes & attribution.scheme) {
    case attribution.tdes:
      return 'TDES-DUKPT';
    case attribution.aes:
      return 'AES-DUKPT';
    default:
      throw protocolError('an unknown encryption mode');
  }
}

import { crc16, crcOfPart, nextCrc } from './crc.ts';

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

const frameBytesMax = headBytes + dataBytesMax + crcBytes;

/**
 * Assembles whole frames from bytes. Garbage never stops it: it scans for the next header tag, also inside a damaged
 * frame. It returns copies, and overwrites the bytes that it has consumed. The work for each byte is bounded, whatever
 * precedes it, also if a device sends heads of frames within each other.
 */
export class FrameDecoder {
  readonly #order: CrcOrder;
  /** Its size is two frames, so that bytes are moved to the front at most once per frame length. */
  readonly #buffer = new Uint8Array(2 * frameBytesMax);
  /** The CRC register before each byte, from an arbitrary start. The CRC of any part follows from two registers. */
  readonly #registers = new Uint16Array(2 * frameBytesMax + 1);
  /** The bytes that are not consumed. */
  #start = 0;
  #end = 0;
  #noise = false;

  constructor(order: CrcOrder) {
    this.#order = order;
  }

  /** Bytes are buffered that belong to no whole frame yet: the start of a frame, or garbage. */
  get unfinished(): boolean {
    return this.#used > 0 || this.#noise;
  }

  get #used(): number {
    return this.#end - this.#start;
  }

  push(chunk: Uint8Array): Decoded[] {
    const found: Decoded[] = [];
    let at = 0;
    while (at < chunk.length) {
      // drain() leaves fewer bytes than the longest frame has.
      const part = chunk.subarray(at, at + frameBytesMax - this.#used);
      this.#append(part);
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

  #append(part: Uint8Array): void {
    if (this.#end + part.length > this.#buffer.length) this.#moveToFront();
    this.#buffer.set(part, this.#end);
    let register = this.#registers[this.#end] ?? 0;
    for (const byte of part) {
      register = nextCrc(register, byte);
      this.#registers[++this.#end] = register;
    }
  }

  #moveToFront(): void {
    const [used, former] = [this.#used, this.#end];
    this.#buffer.copyWithin(0, this.#start, former);
    this.#registers.copyWithin(0, this.#start, former + 1);
    this.#buffer.fill(0, used, former);
    this.#registers.fill(0, used + 1, former + 1);
    this.#start = 0;
    this.#end = used;
  }

  #drain(found: Decoded[]): void {
    while (this.#scan()) {
      const [tag, size] = this.#measure();
      if (size === undefined) return;
      if (size <= frameBytesMax && this.#used < size) return;
      if (size > frameBytesMax || !this.#crcHolds(size, tag === header ? this.#order : 'msb-first')) {
        found.push({ kind: 'corrupt' });
        this.#discard(1);
        continue;
      }
      found.push(this.#take(tag, size));
      this.#noise = false;
    }
  }

  /** Drops everything before the first possible header. False if there is none. */
  #scan(): boolean {
    let skipped = 0;
    while (skipped < this.#used && !this.#begins(header, skipped) && !this.#begins(eventTag, skipped)) skipped++;
    if (skipped > 0) this.#noise = true;
    this.#discard(skipped);
    return this.#used > 0;
  }

  #byte(at: number): number {
    return this.#buffer[this.#start + at] ?? 0;
  }

  /** Whether the bytes from `at` are `tag`, or its beginning at the end of the received bytes. */
  #begins(tag: Uint8Array, at: number): boolean {
    const count = Math.min(tag.length, this.#used - at);
    for (let i = 0; i < count; i++) if (this.#byte(at + i) !== tag[i]) return false;
    return true;
  }

  /** The tag at the front, and the frame's size once its length bytes have arrived. */
  #measure(): readonly [tag: Uint8Array, size?: number] {
    const isFrame = this.#begins(header, 0);
    const tag = isFrame ? header : eventTag;
    if (this.#used < (isFrame ? headBytes : eventHeadBytes)) return [tag];
    const size = isFrame
      ? headBytes + (this.#byte(headBytes - 2) << 8) + this.#byte(headBytes - 1)
      : eventHeadBytes + this.#byte(eventTag.length);
    return [tag, size + crcBytes];
  }

  #crcHolds(size: number, order: CrcOrder): boolean {
    const length = size - crcBytes;
    const [before = 0, after = 0] = [this.#registers[this.#start], this.#registers[this.#start + length]];
    const [first, second] = [this.#byte(length), this.#byte(length + 1)];
    return crcOfPart(before, after, length) === (order === 'msb-first' ? (first << 8) | second : (second << 8) | first);
  }

  #take(tag: Uint8Array, size: number): Decoded {
    const isFrame = tag === header;
    const dataStart = this.#start + (isFrame ? headBytes : eventHeadBytes);
    const data = this.#buffer.slice(dataStart, this.#start + size - crcBytes);
    const [command, status] = [this.#byte(header.length), this.#byte(header.length + 1)];
    this.#discard(size);
    return isFrame ? { kind: 'frame', command, status, data } : { kind: 'event', data };
  }

  /** Drops bytes from the front, and overwrites them and their CRC registers, which reveal the bytes as well. */
  #discard(count: number): void {
    const next = this.#start + count;
    this.#buffer.fill(0, this.#start, next);
    this.#registers.fill(0, this.#start, next);
    this.#start = next;
    if (this.#start < this.#end) return;
    this.#registers[this.#end] = 0;
    this.#start = 0;
    this.#end = 0;
  }
}
