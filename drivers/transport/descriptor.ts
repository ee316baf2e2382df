import fs from 'node:fs';

/**
 * The part of the serial binding's port that carries bytes: a non-blocking descriptor and the poller of its readiness.
 */
export interface PolledPort {
  readonly fd: number | null;
  readonly poller: {
    on(event: 'readable' | 'writable', listener: (error: Error | null) => void): unknown;
    poll(events: number): void;
  };
}

export interface DescriptorEnds {
  /** The chunk is a copy: the listener may keep it. */
  readonly onData: (chunk: Uint8Array) => void;
  /** Called once, when the device has hung up or the descriptor has failed. Not called at `end`. */
  readonly onEnd: () => void;
}

interface Waiting {
  rest: Uint8Array;
  readonly taken: () => void;
}

/** Event bits of uv_poll_start(3). */
const readableEvent = 0b01;
const writableEvent = 0b10;

/** A line discipline holds no more than this (N_TTY_BUF_SIZE). */
const chunkBytes = 4096;

/**
 * Reads and writes an opened port's descriptor as soon as it is ready, and only then. It replaces the binding's own
 * `read` and `write` (bindings-cpp 13) for three reasons:
 * - They use the thread pool: a byte of the reader would queue behind an fsync, in both directions.
 * - A tty that was hung up always returns 0 bytes at once, and they read it again without end (its issue 162).
 * - Their poller watches only the event that was requested last. While a write waits, nothing is read, and a device
 *   that reads only after it has sent would wait without end.
 */
export class Descriptor {
  readonly #port: PolledPort;
  readonly #ends: DescriptorEnds;
  readonly #chunk = new Uint8Array(chunkBytes);
  readonly #waiting: Waiting[] = [];
  #ended = false;

  constructor(port: PolledPort, ends: DescriptorEnds) {
    this.#port = port;
    this.#ends = ends;
    port.poller.on('readable', (error) => this.#ready(error, () => this.#read()));
    port.poller.on('writable', (error) => this.#ready(error, () => this.#writeOn()));
    this.#watch();
  }

  /**
   * Returns true if the operating system has taken all bytes at once. Otherwise it calls `taken` when it has. In both
   * cases the caller may reuse its buffer at once.
   */
  write(bytes: Uint8Array, taken: () => void): boolean {
    const written = this.#waiting.length === 0 ? this.#writeNow(bytes) : 0;
    if (written === bytes.length) return true;
    this.#waiting.push({ rest: Uint8Array.from(bytes.subarray(written)), taken });
    this.#watch();
    return false;
  }

  /** Stops all reading and writing: the descriptor's number may soon belong to another file. */
  end(): void {
    this.#ended = true;
  }

  #ready(error: Error | null, work: () => void): void {
    if (this.#ended) return;
    if (error) return this.#fail();
    try {
      work();
    } finally {
      // After an event the poller no longer watches for it.
      this.#watch();
    }
  }

  /** Names all awaited events in one call, because each call replaces the one before. */
  #watch(): void {
    if (this.#ended || this.#port.fd === null) return;
    this.#port.poller.poll(this.#waiting.length > 0 ? readableEvent | writableEvent : readableEvent);
  }

  #read(): void {
    const count = this.#now((fd) => fs.readSync(fd, this.#chunk, 0, chunkBytes, null));
    if (count === undefined) return;
    if (count === 0) return this.#fail();
    const chunk = this.#chunk.slice(0, count);
    this.#chunk.fill(0, 0, count);
    this.#ends.onData(chunk);
  }

  #writeOn(): void {
    const [first] = this.#waiting;
    if (!first) return;
    first.rest = first.rest.subarray(this.#writeNow(first.rest));
    if (first.rest.length > 0) return;
    this.#waiting.shift();
    first.taken();
  }

  #writeNow(bytes: Uint8Array): number {
    return this.#now((fd) => fs.writeSync(fd, bytes)) ?? 0;
  }

  /** Returns undefined if the descriptor was not ready after all, or has failed. */
  #now(work: (fd: number) => number): number | undefined {
    const { fd } = this.#port;
    if (this.#ended || fd === null) return undefined;
    try {
      return work(fd);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'EAGAIN' && code !== 'EINTR') this.#fail();
      return undefined;
    }
  }

  #fail(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ends.onEnd();
  }
}
