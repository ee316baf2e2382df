import { connect, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import { keyUpdates, secretIn, suite } from '../support/key-updates.ts';
import type { Conduct } from './attack.ts';

/** Where to, and from which of this machine's addresses. */
export interface Route {
  readonly port: number;
  readonly from: string;
}

export interface ConnectionEnds {
  readonly onConnected: () => void;
  readonly onStatus: (status: number) => void;
  readonly onClosed: () => void;
}

/** Longer than the terminal keeps an answer that nobody reads. */
const readsAfterMs = 4_000;

/** One connection: does what it is told, and hears until it is closed. */
export class HostileConnection {
  readonly #socket: Socket;
  readonly #conduct: Conduct;
  readonly #ends: ConnectionEnds;
  #answers = 0;
  #isLast = false;
  #floods = 0;
  /** The end of what came last: a status line may be cut. */
  #tail = '';

  constructor({ port, from }: Route, conduct: Conduct, ends: ConnectionEnds) {
    this.#conduct = conduct;
    this.#ends = ends;
    const socket = connect({ host: '127.0.0.1', port, localAddress: from, allowHalfOpen: true });
    this.#socket = socket;
    socket.on('connect', () => this.#begin());
    // A reset is a way of being closed.
    socket.on('error', () => undefined);
    socket.on('close', ends.onClosed);
    if (conduct.handshake) return;
    socket.on('end', () => socket.destroy());
    if (conduct.unread) {
      // With its first bytes the answer is under way. Nothing is read, and so no more comes than the kernel holds.
      socket.once('readable', ends.onConnected);
      return;
    }
    socket.on('data', (chunk: Buffer) => this.#heard(chunk.toString('latin1')));
    if (conduct.flood) socket.on('drain', () => this.#flood());
  }

  /** Sends nothing again. One that has not read reads on later, because only that shows that it was closed. */
  rest(): void {
    this.#isLast = true;
    if (!this.#conduct.unread) return;
    const timer = setTimeout(() => this.#socket.resume(), readsAfterMs);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** Without a wait: what a closed connection leaves behind would use up this machine's ports. */
  hangUp(): void {
    if (this.#socket.connecting) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  #begin(): void {
    const { bytes, trickleMs, flood, handshake } = this.#conduct;
    if (!this.#conduct.unread) this.#ends.onConnected();
    if (handshake) {
      const secure = connectSecurely({ socket: this.#socket, rejectUnauthorized: false, ciphers: suite });
      secure.on('error', () => this.#socket.destroy());
      if (this.#conduct.keyUpdates) this.#updateKeys(secure, this.#conduct.keyUpdates);
      else secure.on('secureConnect', () => this.#socket.resetAndDestroy());
      return;
    }
    if (bytes === undefined) return;
    if (trickleMs === undefined) this.#socket.write(bytes);
    else this.#trickle(Buffer.from(bytes), trickleMs);
    if (flood) this.#flood();
  }

  #updateKeys(secure: TLSSocket, count: number): void {
    let secret: Buffer = Buffer.alloc(0);
    secure.on('keylog', (line: Buffer) => (secret = secretIn(line, 'CLIENT_TRAFFIC_SECRET_0') ?? secret));
    // With its ticket the server has read the end of the handshake. Node writes in order only after it has read that.
    secure.once('session', () => setImmediate(() => this.#socket.write(keyUpdates(secret, count))));
    secure.on('end', () => this.#socket.destroy());
    secure.resume();
  }

  #trickle(bytes: Buffer, everyMs: number): void {
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < bytes.length) this.#socket.write(bytes.subarray(sent, ++sent));
    }, everyMs);
    this.#socket.once('close', () => clearInterval(timer));
  }

  #flood(): void {
    const { bytes = '', times = 0 } = this.#conduct.flood ?? {};
    while (this.#floods < times && !this.#socket.destroyed) {
      this.#floods++;
      if (!this.#socket.write(bytes)) return;
    }
  }

  #heard(text: string): void {
    const { againAfter = Infinity, bytes = '' } = this.#conduct;
    const whole = this.#tail + text;
    this.#tail = whole.slice(-'HTTP/1.1 000'.length);
    for (const { 1: status, index } of whole.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      this.#tail = whole.slice(Math.max(index + 1, whole.length - 12));
      this.#ends.onStatus(Number(status));
      if (++this.#answers % againAfter === 0 && !this.#isLast) this.#socket.write(bytes);
    }
  }
}
