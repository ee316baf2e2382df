import { systemClock, type Clock } from '../../src/base/ports/clock.ts';
import type { Channel, ChannelEnds, LineOptions, Wire } from './line.ts';
import { type PrinterFile, systemFile } from './usb-printer-file.ts';

export interface UsbPrinterOptions extends Pick<LineOptions, 'path' | 'clock'> {
  /** Instead of the system's own. */
  readonly file?: PrinterFile;
}

/**
 * A printer of the USB printer class, /dev/usb/lp0, for a Line. The kernel's driver (drivers/usb/class/usblp.c) differs
 * from a serial line in four ways:
 * - A read of 0 bytes is an empty packet, and some printers send one after the other. So it is read at intervals: a
 *   wait for readiness would always return at once.
 * - It takes up to 8 KiB at once, whether or not the printer does. So a write counts as taken when that transfer has
 *   ended; otherwise a printer without paper would seem to have printed.
 * - A printer without a way back refuses every read with EINVAL, also when it is unplugged. A write of 0 bytes shows
 *   whether it is still there.
 * - Its close discards what the printer has not taken. O_NONBLOCK: none of these calls ever waits for the printer.
 */
export function usbPrinterWire({ path, clock = systemClock, file = systemFile }: UsbPrinterOptions): Wire {
  return {
    async open(ends) {
      const printer = new UsbPrinter(await file.open(path), { file, clock, ends });
      await printer.start();
      return printer;
    },
    // Included in the time for one write: USB is faster than any printer.
    wireMs: () => 0,
  };
}

/**
 * Pauses between two turns. The first after a write is short, and each later one is twice as long: an answer that took
 * 10 ms is read after 12, and an idle printer costs two turns a second.
 */
const firstPauseMs = 4;
/** How soon an unplugged printer is noticed. */
const idlePauseMs = 500;
/** While bytes wait for the printer. */
const waitingPauseMs = 64;
/** Answers to an earlier user of the printer come within this time after opening, and are discarded. */
const staleMs = 100;
/** usblp reads at most this much at once (USBLP_BUF_SIZE_IN). */
const chunkBytes = 1024;
/** Reads of one turn: a printer that sends without end must not keep the process busy. */
const readsMax = 16;

/** Writing 0 bytes shows whether the printer is still there. */
const nothing = new Uint8Array(0);

interface Waiting {
  /** Empty once the kernel has all bytes: then the transfer's end is awaited. */
  rest: Uint8Array;
  readonly taken: () => void;
}

interface Options {
  readonly file: PrinterFile;
  readonly clock: Clock;
  readonly ends: ChannelEnds;
}

class UsbPrinter implements Channel {
  oneWay = false;
  readonly #fd: number;
  readonly #file: PrinterFile;
  readonly #clock: Clock;
  readonly #ends: ChannelEnds;
  readonly #chunk = new Uint8Array(chunkBytes);
  readonly #waiting: Waiting[] = [];
  #timer: unknown;
  #pauseMs = idlePauseMs;
  #started = false;
  #closed = false;
  #fault: string | undefined;

  constructor(fd: number, { file, clock, ends }: Options) {
    this.#fd = fd;
    this.#file = file;
    this.#clock = clock;
    this.#ends = ends;
  }

  /** Discards the answers to an earlier user, and finds out whether the printer has a way back. */
  async start(): Promise<void> {
    this.#read(() => {});
    await new Promise<void>((resolve) => {
      this.#timer = this.#clock.setTimeout(resolve, staleMs);
    });
    this.#read(() => {});
    if (this.#fault !== undefined) {
      await this.close();
      throw new Error(this.#fault);
    }
    this.#started = true;
    this.#plan();
  }

  write(bytes: Uint8Array, taken: () => void): boolean {
    const whole = { rest: Uint8Array.from(bytes), taken };
    this.#waiting.push(whole);
    this.#pauseMs = firstPauseMs;
    if (this.#waiting.length === 1) this.#writeOn();
    this.#plan();
    return !this.#waiting.includes(whole);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    // In the thread pool: the kernel waits until the transfers are cancelled.
    await this.#file.close(this.#fd).catch(() => {});
  }

  #plan(): void {
    this.#clock.clearTimeout(this.#timer);
    if (this.#closed || this.#fault !== undefined) return;
    this.#timer = this.#clock.setTimeout(() => this.#turn(), this.#pauseMs);
  }

  #turn(): void {
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#waiting.length > 0 ? waitingPauseMs : idlePauseMs);
    if (this.#waiting.length > 0) this.#writeOn();
    else this.#writeNow(nothing);
    this.#read(this.#ends.onData);
    this.#plan();
  }

  #writeOn(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const written = this.#writeNow(first.rest);
      if (written === undefined) return;
      if (first.rest.length > 0) {
        first.rest = first.rest.subarray(written);
        continue;
      }
      this.#waiting.shift();
      this.#pauseMs = firstPauseMs;
      first.taken();
    }
  }

  /**
   * Undefined if a transfer is still under way, or the printer has failed. A write of 0 bytes succeeds when none is
   * under way.
   */
  #writeNow(bytes: Uint8Array): number | undefined {
    return this.#now(() => this.#file.write(this.#fd, bytes));
  }

  #read(take: (chunk: Uint8Array) => void): void {
    for (let reads = 0; reads < readsMax && !this.oneWay; reads++) {
      const count = this.#now(() => this.#readOnce());
      if (count === undefined || count === 0) return;
      take(this.#chunk.slice(0, count));
    }
  }

  #readOnce(): number {
    try {
      return this.#file.read(this.#fd, this.#chunk);
    } catch (error) {
      if (codeOf(error) !== 'EINVAL') throw error;
      this.oneWay = true;
      return 0;
    }
  }

  /** Undefined if the printer is not ready for it, or has failed. */
  #now(call: () => number): number | undefined {
    if (this.#closed || this.#fault !== undefined) return undefined;
    try {
      return call();
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' && codeOf(error) !== 'EINTR') this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    this.#fault = error instanceof Error ? error.message : 'the printer failed';
    if (this.#started) this.#ends.onEnd(this.#fault);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
