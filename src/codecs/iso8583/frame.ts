import { Iso8583Error } from './iso8583-error.ts';
import { prefixDigits } from './length.ts';
import { tpduBytes } from './tpdu.ts';

/** How messages are split on a connection. */
export interface Framing {
  /** The number of bytes that follow. */
  readonly length: ReturnType<typeof prefixDigits>;
  /** Fixed bytes of the length header, before and after the number. Those of a received frame may differ. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Whether the number also counts the bytes of its header. */
  readonly countsItself: boolean;
  readonly hasTpdu: boolean;
  /** Fixed bytes before each message, which the number counts. Those of a received frame may differ. */
  readonly header: Uint8Array;
  /** Fixed bytes after each message, which the number counts. */
  readonly trailer: Uint8Array;
  /** The shortest message: its type, and one bitmap. */
  readonly messageBytesMin: number;
}

const none = new Uint8Array(0);

/** Two bytes, big-endian: the length of TPDU and message (jPOS NACChannel). The shortest message is packed in BCD. */
export const nacFraming: Framing = {
  length: prefixDigits('binary', 2),
  before: none,
  after: none,
  countsItself: false,
  hasTpdu: true,
  header: none,
  trailer: none,
  messageBytesMin: 2 + 8,
};

const contentBytesMaxDefault = 4096;

export interface Frame {
  /** Empty if the framing has none. */
  readonly tpdu: Uint8Array;
  /** From the message type on. */
  readonly message: Uint8Array;
}

function headerBytes({ before, length, after }: Framing): number {
  return before.length + length.bytes + after.length;
}

/** One frame in one buffer, so that it is written at once. Throws Iso8583Error 'too-long'. */
export function encodeFrame({ tpdu, message }: Frame, framing: Framing = nacFraming): Uint8Array {
  const { before, length, after, header, trailer, countsItself } = framing;
  const contentLength = tpdu.length + header.length + message.length + trailer.length;
  const counted = contentLength + (countsItself ? headerBytes(framing) : 0);
  if (contentLength > contentBytesMaxDefault || counted > length.greatest) {
    throw new Iso8583Error('too-long', { field: 0, offset: 0 });
  }
  return frameOf(counted, Buffer.concat([tpdu, header, message, trailer]), { before, length, after });
}

/** A frame without content: a keep-alive. */
export function emptyFrame(framing: Framing): Uint8Array {
  return frameOf(framing.countsItself ? headerBytes(framing) : 0, none, framing);
}

function frameOf(
  counted: number,
  content: Uint8Array,
  { before, length, after }: Pick<Framing, 'before' | 'length' | 'after'>,
): Uint8Array {
  const number = new Uint8Array(length.bytes);
  length.write(counted, number, 0);
  return Buffer.concat([before, number, after, content]);
}

/**
 * Splits a byte stream into frames, however TCP has split or joined them. Holds one frame at most. A frame of length
 * zero is a keep-alive (jPOS BaseChannel sends it on an idle connection, ISOServer channels skip it): it is only
 * counted. Any other impossible length is final: the start of the next frame can't be found, so the connection must be
 * closed.
 */
export class FrameDecoder {
  readonly #framing: Framing;
  readonly #contentBytesMax: number;
  readonly #header: Uint8Array;
  #content: Uint8Array | undefined;
  /** Bytes of the header, or of the content once its length is known. */
  #filled = 0;
  #fault: Iso8583Error | undefined;
  #keepAlives = 0;

  constructor({
    contentBytesMax = contentBytesMaxDefault,
    framing = nacFraming,
  }: { contentBytesMax?: number; framing?: Framing } = {}) {
    this.#framing = framing;
    this.#contentBytesMax = contentBytesMax;
    this.#header = new Uint8Array(headerBytes(framing));
  }

  /** Keep-alives received so far. */
  get keepAlives(): number {
    return this.#keepAlives;
  }

  /** The frames that `chunk` completes, and the fault behind them, if any. After a fault, only the fault. */
  push(chunk: Uint8Array): { readonly frames: readonly Frame[]; readonly fault?: Iso8583Error } {
    const frames: Frame[] = [];
    for (let rest = chunk; rest.length > 0 && !this.#fault; ) {
      const target = this.#content ?? this.#header;
      const taken = rest.subarray(0, target.length - this.#filled);
      target.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === target.length) this.#complete(frames);
    }
    return this.#fault ? { frames, fault: this.#fault } : { frames };
  }

  #complete(frames: Frame[]): void {
    this.#filled = 0;
    if (this.#content) {
      this.#takeContent(this.#content, frames);
      this.#content = undefined;
      return;
    }
    const { header, trailer, hasTpdu, messageBytesMin } = this.#framing;
    const length = this.#readLength();
    const contentBytesMin = (hasTpdu ? tpduBytes : 0) + header.length + trailer.length + messageBytesMin;
    if (length === 0) this.#keepAlives++;
    else if (length < contentBytesMin) this.#fault = new Iso8583Error('too-short', { field: 0, offset: 0 });
    else if (length > this.#contentBytesMax) this.#fault = new Iso8583Error('too-long', { field: 0, offset: 0 });
    else this.#content = new Uint8Array(length);
  }

  /**
   * The number of bytes that follow the header; negative if the header has no number, or its number does not even count
   * the header.
   */
  #readLength(): number {
    const { before, length, countsItself } = this.#framing;
    const number = length.read(this.#header, before.length);
    if (typeof number === 'string') return -1;
    return countsItself ? number - this.#header.length : number;
  }

  #takeContent(content: Uint8Array, frames: Frame[]): void {
    const { header, trailer, hasTpdu } = this.#framing;
    const start = hasTpdu ? tpduBytes : 0;
    const end = content.length - trailer.length;
    if (Buffer.compare(content.subarray(end), trailer) !== 0) {
      this.#fault = new Iso8583Error('bad-padding', { field: 0, offset: end });
      return;
    }
    frames.push({ tpdu: content.subarray(0, start), message: content.subarray(start + header.length, end) });
  }
}
