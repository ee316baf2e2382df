/** How far a worker is, and the input that it has in hand: what stands here when it hangs is what it hangs at. */
export class Progress {
  static readonly #inputBytesMax = 1 << 17;
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #input: Uint8Array;

  constructor(shared = new SharedArrayBuffer(8 + Progress.#inputBytesMax)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared, 0, 2);
    this.#input = new Uint8Array(shared, 8);
  }

  began(input: Uint8Array): void {
    this.#input.set(input.subarray(0, Progress.#inputBytesMax));
    Atomics.store(this.#numbers, 1, input.length);
    Atomics.add(this.#numbers, 0, 1);
  }

  get count(): number {
    return Atomics.load(this.#numbers, 0);
  }

  get input(): Uint8Array {
    return Buffer.from(this.#input.subarray(0, Atomics.load(this.#numbers, 1)));
  }
}
