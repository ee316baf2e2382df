import fs from 'node:fs';

/** What of the serial binding's port carries bytes: a non-blocking descriptor, and who tells of its readiness. */
export interface PolledPort {
  readonly fd: number | null;
  readonly poller: {
    on(event: 'readable' | 'writable', listener: (error: Error | null) => void): unknown;
    poll(events: number): void;
  };
}

export interface DescriptorEnds {
  /** Bytes of its own, which may be kept. */
  readonly onData: (chunk: Uint8Array) => void;
  /** Once, when nothing more will come or go: the device hung up, or the descriptor failed. Not at `end`. */
  readonly onEnd: () => void;
}

interface Waiting {
  rest: Uint8Array;
  readonly taken: () => void;
}

/** Of uv_poll_start(3). */
const readableEvent = 0b01;
const writableEvent = 0b10;

/** A line discipline holds no more than this (N_TTY_BUF_SIZE). */
const chunkBytes = 4096;

/**
 * Reads and writes an opened port's descriptor as soon as it is ready, and only then. It does by itself what the binding's own
 * `read` and `write` (bindings-cpp 13) do, for three reasons:
 * - they go through the thread pool: a byte of the reader queues behind an fsync, there and back;
 * - a terminal that was hung up reads as 0 bytes at once and for ever, and they read again without end (its issue 162);
 * - its poller watches what was asked for last alone: while a write waits, nothing is read, and a device that reads on only
 *   once it was heard waits for ever.
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
   * True when the operating system has taken all bytes at once. Else `taken` is called when it has; the caller may use its
   * bytes again either way.
   */
  write(bytes: Uint8Array, taken: () => void): boolean {
    const written = this.#waiting.length === 0 ? this.#writeNow(bytes) : 0;
    if (written === bytes.length) return true;
    this.#waiting.push({ rest: Uint8Array.from(bytes.subarray(written)), taken });
    this.#watch();
    return false;
  }

  /** Does nothing any more, also not with the descriptor's number, which may soon be another's. */
  end(): void {
    this.#ended = true;
  }

  #ready(error: Error | null, work: () => void): void {
    if (this.#ended) return;
    if (error) return this.#fail();
    try {
      work();
    } finally {
      // The poller watches what was ready no longer.
      this.#watch();
    }
  }

  /** All that is waited for at once: each call replaces the one before. */
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

  /** Nothing, where the descriptor was not ready after all, or has failed. */
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
