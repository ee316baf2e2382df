/**
 * Framing of the terminal dialect: 2 bytes of length, big-endian, then that many bytes: a TPDU of 5 (60, destination,
 * source) and the message. The answer swaps destination and source. Source: jpos/jPOS, NACChannel.
 */
const lengthBytes = 2;
const tpduBytes = 5;
const tpduId = 0x60;

/** Message type and bitmap are the least that follows a TPDU. */
const bodyBytesMin = tpduBytes + 10;

/** Far above any message of this dialect, and small enough to buffer for every connection. */
export const bodyBytesMax = 4096;

/** A frame of length zero, a keep-alive. Source: jpos/jPOS, nserver, isUseZeroLengthAsKeepalive. */
export const emptyFrame = Buffer.alloc(lengthBytes);

export class MalformedFrame extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'MalformedFrame';
  }
}

export interface Frame {
  readonly tpdu: Buffer;
  readonly message: Buffer;
}

/** Cuts a byte stream into frames, however it is split. After MalformedFrame the frame borders are lost. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0);

  /** Bytes of a frame that is not whole yet. */
  get held(): Buffer {
    return this.#held;
  }

  /** Takes the next bytes and yields each frame that they complete, in order. Throws MalformedFrame. */
  *push(chunk: Buffer): Generator<Frame> {
    this.#held = Buffer.concat([this.#held, chunk]);
    while (this.#held.length >= lengthBytes) {
      const length = this.#held.readUInt16BE(0);
      if (length < bodyBytesMin || length > bodyBytesMax) throw new MalformedFrame(`a frame length of ${length}`);
      if (this.#held.length < lengthBytes + length) return;
      const body = this.#held.subarray(lengthBytes, lengthBytes + length);
      if (body.readUInt8(0) !== tpduId) throw new MalformedFrame('a TPDU that does not begin with 60');
      this.#held = this.#held.subarray(lengthBytes + length);
      yield { tpdu: body.subarray(0, tpduBytes), message: body.subarray(tpduBytes) };
    }
  }
}

/** The TPDU of the answer: destination and source are swapped. */
export function swapped(tpdu: Buffer): Buffer {
  if (tpdu.length === 0) return tpdu;
  return Buffer.concat([tpdu.subarray(0, 1), tpdu.subarray(3, 5), tpdu.subarray(1, 3)]);
}

/** A whole frame, ready to write. */
export function framed(tpdu: Buffer, message: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(tpdu.length + message.length);
  return Buffer.concat([length, tpdu, message]);
}
