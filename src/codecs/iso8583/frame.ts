import { Iso8583Error } from './iso8583-error.ts';
import { tpduBytes } from './tpdu.ts';

/** Two bytes, big-endian: the length of TPDU and message (jPOS NACChannel). */
const lengthBytes = 2;
/** TPDU, message type and one bitmap: the shortest possible message. */
const contentBytesMin = tpduBytes + 2 + 8;
const contentBytesMaxDefault = 4096;

export interface Frame {
  readonly tpdu: Uint8Array;
  /** From the message type on. */
  readonly message: Uint8Array;
}

/** One frame in one buffer, so that it is written at once. Throws Iso8583Error 'too-long'. */
export function encodeFrame({ tpdu, message }: Frame): Uint8Array {
  const contentLength = tpdu.length + message.length;
  if (contentLength > contentBytesMaxDefault) throw new Iso8583Error('too-long', { field: 0, offset: 0 });
  return Buffer.concat([Uint8Array.of(contentLength >> 8, contentLength & 0xff), tpdu, message]);
}

/**
 * Splits a byte stream into frames, however TCP has split or joined them. Holds one frame at most. A frame of length
 * zero is a keep-alive (jPOS BaseChannel sends it on an idle connection, ISOServer channels skip it): it is only
 * counted. Any other impossible length is final: the start of the next frame can't be found, so the connection must be
 * closed.
 */
export class FrameDecoder {
  readonly #contentBytesMax: number;
  readonly #header = new Uint8Array(lengthBytes);
  #content: Uint8Array | undefined;
  /** Bytes of the header, or of the content once its length is known. */
  #filled = 0;
  #fault: Iso8583Error | undefined;
  #keepAlives = 0;

  constructor({ contentBytesMax = contentBytesMaxDefault }: { contentBytesMax?: number } = {}) {
    this.#contentBytesMax = contentBytesMax;
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
      frames.push({ tpdu: this.#content.subarray(0, tpduBytes), message: this.#content.subarray(tpduBytes) });
      this.#content = undefined;
      return;
    }
    const [high = 0, low = 0] = this.#header;
    const length = high * 0x100 + low;
    if (length === 0) this.#keepAlives++;
    else if (length < contentBytesMin) this.#fault = new Iso8583Error('too-short', { field: 0, offset: 0 });
    else if (length > this.#contentBytesMax) this.#fault = new Iso8583Error('too-long', { field: 0, offset: 0 });
    else this.#content = new Uint8Array(length);
  }
}
