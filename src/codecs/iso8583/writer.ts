import { Iso8583Error } from './iso8583-error.ts';

/** More than any frame takes. */
const bytesMax = 16_384;

/** A message that is being written. One buffer serves all messages, and keeps nothing of them: they have card data. */
export class MessageWriter {
  readonly bytes = new Uint8Array(bytesMax);
  /** The first byte that is not yet written. */
  offset = 0;

  /** Throws Iso8583Error 'too-long' where `count` more bytes have no room. */
  demandRoom(count: number, field: number): void {
    if (this.offset + count > bytesMax) throw new Iso8583Error('too-long', { field, offset: 0 });
  }

  /** A copy of what is written. */
  written(): Uint8Array {
    return this.bytes.slice(0, this.offset);
  }

  /** Forgets what is written. */
  wipe(): void {
    this.bytes.fill(0, 0, this.offset);
    this.offset = 0;
  }
}
