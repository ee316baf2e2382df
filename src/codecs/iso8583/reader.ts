/** From this many characters on, V8's substring is a view that keeps its whole parent: here a message with card data. */
const viewedFrom = 13;

/** Buffer's own slices, which take any bytes: without a Buffer for each message, and without the checks of toString. */
type Slice = (this: Uint8Array, start: number, end: number) => string;
const { hexSlice, latin1Slice } = Buffer.prototype as unknown as Readonly<Record<'hexSlice' | 'latin1Slice', Slice>>;

/** A message that is being read, and how far. It is turned into text once, not field by field. */
export class MessageReader {
  readonly bytes: Uint8Array;
  /** The first byte that is not yet read. */
  offset = 0;
  readonly #hex: string;
  readonly #latin1: string;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#hex = hexSlice.call(bytes, 0, bytes.length);
    this.#latin1 = latin1Slice.call(bytes, 0, bytes.length);
  }

  /** Nibbles as lower-case hex digits; `start` and `end` count nibbles from the start of the message. */
  nibbles(start: number, end: number): string {
    if (end - start < viewedFrom) return this.#hex.substring(start, end);
    const whole = hexSlice.call(this.bytes, start >> 1, (end + 1) >> 1);
    return whole.substring(start & 1, (start & 1) + end - start);
  }

  /** Bytes as characters. latin1, because Node's 'ascii' clears the top bit and reads 0xB0 as '0'. */
  characters(start: number, end: number): string {
    if (end - start < viewedFrom) return this.#latin1.substring(start, end);
    return latin1Slice.call(this.bytes, start, end);
  }
}
