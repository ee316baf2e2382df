/**
 * A piece of a connection's bytes, in one direction. `payload`: the bytes without their transport framing; absent if
 * they have none.
 */
export interface Cut {
  readonly kind: 'frame' | 'noise';
  readonly bytes: Buffer;
  readonly payload?: Buffer;
  readonly reports?: number;
}

/** Cuts the bytes of one direction of one connection into frames. It loses no byte. */
export interface Cutter {
  push(chunk: Buffer): Cut[];
  /** Returns the held beginning of a frame whose rest did not come. */
  abandon(): Cut[];
}

/** Length of the frame or noise at the beginning; undefined if more bytes are needed to decide. */
export type Next = (held: Buffer) => { readonly length: number; readonly kind?: 'noise' } | undefined;

/** A stream whose frames have their length in their first bytes. */
export class StreamCutter implements Cutter {
  readonly #next: Next;
  #held: Buffer = Buffer.alloc(0);

  constructor(next: Next) {
    this.#next = next;
  }

  push(chunk: Buffer): Cut[] {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const cuts: Cut[] = [];
    while (this.#held.length > 0) {
      const next = this.#next(this.#held);
      if (next === undefined || next.length > this.#held.length) break;
      cuts.push({ kind: next.kind ?? 'frame', bytes: this.#held.subarray(0, next.length) });
      this.#held = this.#held.subarray(next.length);
    }
    return cuts;
  }

  abandon(): Cut[] {
    const bytes = this.#held;
    this.#held = Buffer.alloc(0);
    return bytes.length === 0 ? [] : [{ kind: 'noise', bytes }];
  }
}
