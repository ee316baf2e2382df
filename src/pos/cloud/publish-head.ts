/** Topic and properties together. The terminal's own topics are short, and a call has a handful of properties. */
const headBytesMax = 16_384;

/**
 * Measures the part before the payload of a PUBLISH (MQTT 5, 3.3.2), as its bytes pass: each property costs the parser
 * as much as kilobytes of a payload.
 */
export class PublishHead {
  /**
   * The meaning of the next byte: a part of the topic's length, to be skipped, a part of the properties' length, or
   * irrelevant.
   */
  #at: 'high' | 'low' | 'skipped' | 'properties' | 'over' = 'high';
  #topicBytes = 0;
  #skip = 0;
  #lengthBytes = 0;
  #propertyBytes = 0;
  readonly #packetIdBytes: number;

  /** `first`: the first byte of the packet. */
  constructor(first: number) {
    this.#packetIdBytes = (first & 0x06) === 0 ? 0 : 2;
  }

  /** Whether the head is within the limit, as far as these bytes show. */
  admits(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && this.#at !== 'over'; ) {
      if (this.#at === 'skipped') {
        const skipped = Math.min(this.#skip, bytes.length - at);
        this.#skip -= skipped;
        at += skipped;
        if (this.#skip === 0) this.#at = 'properties';
      } else this.#read(bytes[at++] ?? 0);
    }
    return this.#topicBytes + this.#propertyBytes <= headBytesMax;
  }

  #read(byte: number): void {
    if (this.#at === 'high') {
      this.#topicBytes = byte << 8;
      this.#at = 'low';
    } else if (this.#at === 'low') {
      this.#topicBytes += byte;
      this.#skip = this.#topicBytes + this.#packetIdBytes;
      this.#at = this.#skip === 0 ? 'properties' : 'skipped';
    } else {
      this.#propertyBytes += (byte & 0x7f) * 128 ** this.#lengthBytes;
      this.#lengthBytes += 1;
      if (byte < 0x80 || this.#lengthBytes === 4) this.#at = 'over';
    }
  }
}
