/**
 * Watches the bytes of a broker for packets that are longer than agreed (MQTT 5, 3.1.2.11.4). The library would collect
 * such a packet in memory, up to 256 MB of it.
 */
export class PacketGuard {
  readonly #bytesMax: number;
  /** Bytes of the present packet that are still to come. */
  #left = 0;
  /** Where the fixed header is: its type byte, then up to four bytes of length (2.1.4). */
  #lengthBytes = -1;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether the bytes may go on to the parser. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, bytes.length - at);
        this.#left -= skipped;
        at += skipped;
        continue;
      }
      const byte = bytes[at++] ?? 0;
      if (!this.#readHeader(byte)) return false;
    }
    return true;
  }

  #readHeader(byte: number): boolean {
    if (this.#lengthBytes < 0) {
      this.#lengthBytes = 0;
      this.#length = 0;
      return true;
    }
    this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes;
    this.#lengthBytes += 1;
    if (this.#length > this.#bytesMax || (byte > 0x7f && this.#lengthBytes === 4)) return false;
    if (byte > 0x7f) return true;
    this.#left = this.#length;
    this.#lengthBytes = -1;
    return true;
  }
}
