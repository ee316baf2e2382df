import type { Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type MonotonicClock, systemClock } from '../ports/clock.ts';
import type { Turns } from './turns.ts';

/**
 * Most requests of a POS fit into one piece. Pipelined requests that fit into one piece are parsed and answered
 * together.
 */
const pieceBytes = 512;

/** Of an answer, passed on at a time. The next piece shows that the client has read. */
const sentBytes = 16_384;

/** A client that has taken nothing for so long does not read. */
const unreadAfterMs = 1_000;

/** How long an answer may stay unread, milliseconds. */
export interface ReadingLimit {
  readonly unreadMs: number;
  readonly clock: MonotonicClock;
}

export const readingLimit: ReadingLimit = { unreadMs: 15_000, clock: systemClock };

/**
 * A connection whose bytes reach the HTTP parser in pieces: one piece of one connection in each round of the event
 * loop. Node would read up to 64 KiB of a connection at a time, and parse all requests in it (up to 3,000) before
 * anything else runs. Written data is passed on in pieces, and the connection to a client that reads nothing for some
 * time is closed.
 */
export class PacedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #raw: Socket;
  readonly #turns: Turns;
  readonly #limit: ReadingLimit;
  readonly #caller: string;
  #wanted: (() => void) | undefined;
  #hasEnded = false;
  /** A TLS connection whose carrier has gone emits `close` before its `closed` is true. */
  #isClosed = false;
  /** The time since which bytes of the client wait here; undefined while the server waits for the client. */
  #feedingSinceMs: number | undefined;
  #heldMs = 0;
  #passedBytes = 0;
  #idleMs = 0;
  /** Set while written data is not passed on yet. */
  #unread: { readonly timer: unknown; readonly sinceMs: number } | undefined;
  /** As in tls.TLSSocket, and absent in a connection without TLS. It decides a request's scheme. */
  declare encrypted?: true;

  /** Takes over `socket`, which must not be used elsewhere any more. `raw`: the connection below its TLS. */
  constructor(socket: Socket, turns: Turns, limit: ReadingLimit = readingLimit, raw: Socket = socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#raw = raw;
    this.#turns = turns;
    this.#limit = limit;
    this.#caller = raw.remoteAddress ?? '';
    if ('encrypted' in socket) this.encrypted = true;
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      this.#feedingSinceMs = limit.clock.elapsedMs();
      void this.#feed(chunk);
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      if (this.#feedingSinceMs === undefined) this.push(null);
    });
    socket.on('timeout', () => {
      if (this.#feedingSinceMs === undefined) this.emit('timeout');
      // What waits here is not the client's silence.
      else socket.setTimeout(this.#idleMs);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      this.#isClosed = true;
      this.destroy();
    });
  }

  /** The total time that bytes of the client have waited here for their turns. */
  get heldMs(): number {
    const since = this.#feedingSinceMs;
    return this.#heldMs + (since === undefined ? 0 : this.#limit.clock.elapsedMs() - since);
  }

  /** Bytes of the client that the parser has received. */
  get passedBytes(): number {
    return this.#passedBytes;
  }

  /** Address of the wrapped connection; undefined once that is closed. */
  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  /** Whether something waits for a client that does not read. */
  get isUnread(): boolean {
    return this.#unread !== undefined && this.#limit.clock.elapsedMs() - this.#unread.sinceMs >= unreadAfterMs;
  }

  /** As in net.Socket. */
  setTimeout(ms: number): this {
    this.#idleMs = ms;
    this.#socket.setTimeout(ms);
    return this;
  }

  /** As in net.Socket: written data is still sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: Taken): void {
    this.#send([chunk], taken);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], taken: Taken): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      taken,
    );
  }

  /**
   * Data that was written together is sent together, up to the size of a piece: the head of an answer with its body.
   */
  #send(chunks: readonly Buffer[], taken: Taken): void {
    const [piece, rest] = divide(chunks, sentBytes);
    const last = piece.pop();
    if (!last) return taken();
    this.#awaitReader();
    this.#socket.cork();
    for (const chunk of piece) this.#socket.write(chunk);
    this.#socket.write(last, (error) => {
      this.#stopWaiting();
      if (error || this.destroyed || rest.length === 0) taken(error);
      else this.#send(rest, taken);
    });
    this.#socket.uncork();
  }

  #awaitReader(): void {
    const { clock, unreadMs } = this.#limit;
    this.#unread = { timer: clock.setTimeout(() => this.#giveUp(), unreadMs), sinceMs: clock.elapsedMs() };
  }

  /** `unread`: the kernel still holds a part of the answer, which only a reset removes. */
  #giveUp(): void {
    this.emit('unread');
    this.destroy();
  }

  #stopWaiting(): void {
    if (this.#unread) this.#limit.clock.clearTimeout(this.#unread.timer);
    this.#unread = undefined;
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted?.();
    this.#stopWaiting();
    if (this.#isClosed || this.#socket.closed) return done(error);
    this.#socket.once('close', () => done(error));
    this.#socket.destroy();
  }

  async #feed(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await this.#turns.next(this.#caller);
      if (this.destroyed) return;
      const piece = chunk.subarray(at, at + pieceBytes);
      this.#passedBytes += piece.length;
      if (!this.push(piece)) await new Promise<void>((resolve) => (this.#wanted = resolve));
    }
    this.#heldMs = this.heldMs;
    this.#feedingSinceMs = undefined;
    if (this.#hasEnded) this.push(null);
    else this.#socket.resume();
  }
}

type Taken = (error?: Error | null) => void;

/** The first `bytes` bytes, and the rest. */
function divide(chunks: readonly Buffer[], bytes: number): [first: Buffer[], rest: Buffer[]] {
  const [first, rest]: [Buffer[], Buffer[]] = [[], []];
  let room = bytes;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (room > 0) first.push(chunk.subarray(0, room));
    if (chunk.length > room) rest.push(chunk.subarray(room));
    room = Math.max(0, room - chunk.length);
  }
  return [first, rest];
}

/**
 * Wraps each socket of `event` in a paced socket before the present listeners receive it. `rawOf`: finds the connection
 * below its TLS.
 */
export function pace(
  server: Server,
  event: 'connection' | 'secureConnection',
  turns: Turns,
  limit: ReadingLimit,
  onPaced: (raw: Socket, paced: PacedSocket) => void,
  rawOf: (socket: Socket) => Socket = (socket) => socket,
): void {
  const parsers = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const raw = rawOf(socket);
    const paced = new PacedSocket(socket, turns, limit, raw);
    onPaced(raw, paced);
    for (const parse of parsers) parse.call(server, paced);
  });
}
