import type { Socket } from 'node:net';

/** A line is at most so long, without its end. */
export const lineBytesMax = 4096;

export interface LineLinkEvents {
  /** A whole line, without its end. */
  onLine(line: Buffer): void;
  /** A line that is too long, or was cut off. */
  onMalformed(why: string, bytes: Buffer): void;
  onClose(): void;
}

/** The daemon's connection: lines in, lines out. */
export class LineLink {
  readonly #socket: Socket;
  readonly #events: LineLinkEvents;
  #held: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, events: LineLinkEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('end', () => {
      if (this.#held.length > 0) events.onMalformed('a line that has no end', this.#held);
    });
    // The error itself is ignored: 'close' follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => events.onClose());
  }

  send(line: string): void {
    if (this.#socket.writable) this.#socket.write(`${line}\n`);
  }

  /** Closes the connection at once; bytes that were not read yet are dropped. */
  close(): void {
    this.#held = Buffer.alloc(0);
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk]);
    for (let end = this.#held.indexOf(0x0a); end >= 0; end = this.#held.indexOf(0x0a)) {
      const line = this.#held.subarray(0, end);
      if (line.length > lineBytesMax) break;
      this.#held = this.#held.subarray(end + 1);
      this.#events.onLine(line);
      if (this.#socket.destroyed) return;
    }
    if (this.#held.length <= lineBytesMax) return;
    this.#events.onMalformed(`a line of more than ${lineBytesMax} bytes`, this.#held);
    this.close();
  }
}
