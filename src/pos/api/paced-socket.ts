import type { Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Turns } from './turns.ts';

/**
 * Most requests of a POS fit into one piece. Pipelined requests that fit into one piece are parsed and answered
 * together.
 */
const pieceBytes = 512;

/**
 * A connection whose bytes reach the HTTP parser in pieces: one piece of one connection in each round of the event
 * loop. Node would read up to 64 KiB of a connection at a time, and parse all requests in it (up to 3,000) before
 * anything else runs.
 */
export class PacedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #turns: Turns;
  #wanted: (() => void) | undefined;
  #hasEnded = false;
  #isFeeding = false;
  /** As in tls.TLSSocket, and absent in a connection without TLS. It decides a request's scheme. */
  declare encrypted?: true;

  /** Takes over `socket`: nobody else may use it any more. */
  constructor(socket: Socket, turns: Turns) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#turns = turns;
    if ('encrypted' in socket) this.encrypted = true;
    socket.on('data', (chunk: Buffer) => {
      socket.pause();
      this.#isFeeding = true;
      void this.#feed(chunk);
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      if (!this.#isFeeding) this.push(null);
    });
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Address of the carried connection; undefined once that is closed. */
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** As in net.Socket. */
  setTimeout(ms: number): this {
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

  override _write(chunk: Buffer, encoding: BufferEncoding, taken: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, taken);
  }

  /** What was written in one go leaves in one go: the head of an answer together with its body. */
  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    taken: (error?: Error | null) => void,
  ): void {
    const full = chunks.filter(({ chunk }) => chunk.length > 0);
    const last = full.pop();
    if (!last) return taken();
    this.#socket.cork();
    for (const { chunk, encoding } of full) this.#socket.write(chunk, encoding);
    this.#socket.write(last.chunk, last.encoding, taken);
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted?.();
    if (this.#socket.closed) return done(error);
    this.#socket.once('close', () => done(error));
    this.#socket.destroy();
  }

  async #feed(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await this.#turns.next();
      if (this.destroyed) return;
      if (!this.push(chunk.subarray(at, at + pieceBytes)))
        await new Promise<void>((resolve) => (this.#wanted = resolve));
    }
    this.#isFeeding = false;
    if (this.#hasEnded) this.push(null);
    else this.#socket.resume();
  }
}

/** Wraps each socket of `event` in a paced socket before the present listeners receive it. */
export function pace(
  server: Server,
  event: 'connection' | 'secureConnection',
  turns: Turns,
  onPaced: (socket: Socket, paced: PacedSocket) => void,
): void {
  const parsers = server.listeners(event);
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const paced = new PacedSocket(socket, turns);
    onPaced(socket, paced);
    for (const parse of parsers) parse.call(server, paced);
  });
}
