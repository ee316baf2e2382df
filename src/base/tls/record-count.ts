/** Bytes of a record's header: type, version, length (RFC 8446, 5.1; RFC 5246, 6.2.1). */
const headerBytes = 5;

/** Counts the bytes of the TLS records that have come whole. */
export class RecordCount {
  #wholeBytes = 0;
  /** Of the present record: bytes of its header so far, its length, and bytes that are still to come. */
  #header = 0;
  #length = 0;
  #left = 0;

  get wholeBytes(): number {
    return this.#wholeBytes;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#header < headerBytes) {
        const byte = bytes[at++] ?? 0;
        this.#header += 1;
        if (this.#header > 3) this.#length = this.#length * 256 + byte;
        if (this.#header < headerBytes) continue;
        this.#left = this.#length;
      } else {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
      }
      if (this.#left === 0) this.#end();
    }
  }

  #end(): void {
    this.#wholeBytes += headerBytes + this.#length;
    this.#header = 0;
    this.#length = 0;
  }
}
