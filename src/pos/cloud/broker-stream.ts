import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import { MeterFault } from '../../base/tls/metered-socket.ts';
import { FlowLimit } from './flow-limit.ts';
import { type Asking, PacketGuard } from './packet-guard.ts';

export interface BrokerStreamOptions {
  readonly packetBytesMax: number;
  readonly clock: MonotonicClock;
  /** Called once, if the broker's behaviour ends the connection. */
  readonly onFault: (reason: string) => void;
}

/** The parser gets at most this much of a packet in one round of the loop. */
const pieceBytes = 16_384;
/** A packet that has begun must end within this time, and written data must be sent. */
const stallMs = 30_000;

/**
 * A connection whose bytes reach the MQTT parser packet by packet, one in each round of the loop, and no faster than
 * allowed. Meanwhile the socket is not read, so that the broker waits, by TCP. The library would parse all of 64 KiB
 * before anything else runs.
 */
export class BrokerStream extends Duplex {
  readonly #socket: Socket;
  readonly #options: BrokerStreamOptions;
  readonly #guard: PacketGuard;
  readonly #flow: FlowLimit;
  #wanted: (() => void) | undefined;
  #isFeeding = false;
  #hasEnded = false;
  /** A TLS connection whose carrier has gone emits `close` before its `closed` is true. */
  #isClosed = false;
  #hasFailed = false;
  /** When the last packet began. */
  #begunMs = 0;
  #packetTimer: unknown;
  #writeTimer: unknown;

  /** Takes over `socket`, which must not be used elsewhere any more. */
  constructor(socket: Socket, options: BrokerStreamOptions) {
    super();
    this.#socket = socket;
    this.#options = options;
    this.#guard = new PacketGuard(options.packetBytesMax);
    this.#flow = new FlowLimit(options.clock);
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      options.clock.clearTimeout(this.#packetTimer);
      this.#isFeeding = true;
      this.#feed(chunk).catch((error: unknown) => this.fail(unreadable(error)));
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      if (!this.#isFeeding) this.push(null);
    });
    socket.on('error', (error) => (error instanceof MeterFault ? this.fail(error.message) : this.destroy(error)));
    socket.on('close', () => {
      this.#isClosed = true;
      this.destroy();
    });
  }

  /** The terminal sends a packet that the broker answers once. */
  expect(answerTo: Asking): void {
    this.#guard.expect(answerTo);
  }

  /** Ends the connection at once. */
  fail(reason: string): void {
    if (this.destroyed || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFault(reason);
    this.destroy(new Error(reason));
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, taken: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, this.#inTime(taken));
  }

  /** A packet is written in parts, and leaves in one. */
  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    taken: (error?: Error | null) => void,
  ): void {
    const bytes = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    this.#socket.write(Buffer.concat(bytes), this.#inTime(taken));
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#packetTimer);
    clock.clearTimeout(this.#writeTimer);
    this.#wanted?.();
    if (this.#isClosed || this.#socket.closed) return done(error);
    this.#socket.once('close', () => done(error));
    this.#socket.destroy();
  }

  async #feed(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const wasInside = this.#guard.isInside;
      const length = this.#guard.next(chunk.subarray(at, at + pieceBytes));
      if (!wasInside) this.#begunMs = this.#options.clock.elapsedMs();
      if (typeof length === 'string') return this.fail(length);
      if (!(await this.#flow.next(length))) return this.fail('the broker sends more than the terminal reads');
      if (this.destroyed) return;
      const wanted = new Promise<void>((resolve) => (this.#wanted = resolve));
      const spent = this.#flow.spend();
      const isWanted = this.push(chunk.subarray(at, at + length));
      await spent;
      if (!isWanted) await wanted;
      at += length;
    }
    this.#isFeeding = false;
    if (this.#hasEnded) this.push(null);
    else this.#awaitMore();
  }

  #awaitMore(): void {
    if (this.destroyed) return;
    const { clock } = this.#options;
    if (this.#guard.isInside) {
      const leftMs = Math.max(stallMs - (clock.elapsedMs() - this.#begunMs), 0);
      const late = () => this.fail(`the broker takes more than ${stallMs / 1_000} s for one packet`);
      this.#packetTimer = clock.setTimeout(late, leftMs);
    }
    this.#socket.resume();
  }

  #inTime(taken: (error?: Error | null) => void): (error?: Error | null) => void {
    const { clock } = this.#options;
    this.#writeTimer = clock.setTimeout(() => this.fail('the broker does not read what is sent'), stallMs);
    return (error) => {
      clock.clearTimeout(this.#writeTimer);
      taken(error);
    };
  }
}

function unreadable(error: unknown): string {
  return `the broker sent what can't be read: ${error instanceof Error ? error.message : String(error)}`;
}
