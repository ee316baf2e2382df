import net from 'node:net';
import type { Served } from './served.ts';

/** The bytes of one request. */
export function wire(body: string, path = '/sp/v1/payment', more = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Chunks of one byte each, with an extension of this length (RFC 9112, 7.1.1). */
export function tinyChunks(body: string, extensionBytes: number): string {
  const extension = `x=${'x'.repeat(extensionBytes - 2)}`;
  return Array.from(body, (byte) => `1;${extension}\r\n${byte}\r\n`).join('');
}

/** A client that keeps its side open when the server has closed its own, as a hostile one does. */
export class RawClient {
  readonly socket: net.Socket;
  text = '';
  readonly closed: Promise<unknown>;
  readonly #ended: Promise<unknown>;
  #onData: (() => void) | undefined;

  constructor({ port, clients }: Pick<Served, 'port' | 'clients'>) {
    this.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk;
      this.#onData?.();
    });
    // A reset is a way of being closed.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.#ended = new Promise((resolve) => this.socket.once('end', resolve));
    clients.add(this.socket);
  }

  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) await new Promise<void>((resolve) => (this.#onData = resolve));
    return this.text;
  }

  /** Resolves once the server has let go of the connection: bytes sent then are answered with a reset. */
  async letGo(): Promise<void> {
    await Promise.race([this.#ended, this.closed]);
    const wake = setInterval(() => this.socket.write('x'), 5);
    await this.closed;
    clearInterval(wake);
  }
}
