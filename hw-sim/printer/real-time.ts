import type { StatusRequest } from './status.ts';

const DLE = 0x10;
const EOT = 0x04;

/** A piece of the stream, and the real-time request that ends with its last byte, if any. */
export interface Segment {
  readonly bytes: Uint8Array;
  readonly request?: StatusRequest;
}

/**
 * Finds DLE EOT 1 to 4 at any position. A printer executes it on reception, ahead of other commands, even if the bytes
 * are data of another command (TM-U295 manual, note on real-time commands).
 */
export class RealTimeScanner {
  #before = 0;
  #last = 0;

  scan(chunk: Uint8Array): Segment[] {
    const segments: Segment[] = [];
    let start = 0;
    for (const [at, byte] of chunk.entries()) {
      if (this.#before === DLE && this.#last === EOT && isRequest(byte)) {
        segments.push({ bytes: chunk.subarray(start, at + 1), request: byte });
        start = at + 1;
      }
      this.#before = this.#last;
      this.#last = byte;
    }
    if (start < chunk.length) segments.push({ bytes: chunk.subarray(start) });
    return segments;
  }

  clear(): void {
    this.#before = 0;
    this.#last = 0;
  }
}

function isRequest(byte: number): byte is StatusRequest {
  return byte >= 1 && byte <= 4;
}
