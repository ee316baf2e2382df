import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

/** One request as it came over the wire. */
export interface ReceivedRequest {
  /** 'POST /trade/v1/query HTTP/1.1' */
  readonly line: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A TCP peer that knows no QFPay: it takes requests apart at their length, and gives bytes as the test says. */
export class ScriptedHost {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  readonly #sides: HostSide[] = [];
  readonly #arrived: HostSide[] = [];
  readonly #waiting: ((side: HostSide) => void)[] = [];

  private constructor(server: Server, event: 'connection' | 'secureConnection') {
    this.#server = server;
    server.on(event, (socket: Socket) => {
      this.#sockets.push(socket);
      const side = new HostSide(socket);
      this.#sides.push(side);
      const waiting = this.#waiting.shift();
      if (waiting) waiting(side);
      else this.#arrived.push(side);
    });
  }

  /** `port` only to come back where it was before. With a certificate it speaks TLS. */
  static async listen(port = 0, certificate?: { readonly key: string; readonly cert: string }): Promise<ScriptedHost> {
    const server = certificate ? createSecureServer(certificate) : createServer({ allowHalfOpen: true });
    const host = new ScriptedHost(server, certificate ? 'secureConnection' : 'connection');
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.length;
  }

  /** Of all requests, behind TLS where there is TLS. */
  get bytesRead(): number {
    return this.#sides.reduce((sum, side) => sum + side.bytesRead, 0);
  }

  accepted(): Promise<HostSide> {
    const arrived = this.#arrived.shift();
    if (arrived) return Promise.resolve(arrived);
    const { promise, resolve } = Promise.withResolvers<HostSide>();
    this.#waiting.push(resolve);
    return promise;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The host's end of one connection. */
export class HostSide {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  bytesRead = 0;
  /** Resolves once the terminal has ended the connection. */
  readonly ended: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.bytesRead += chunk.length;
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    socket.on('error', () => {});
    socket.once('end', resolve);
    socket.once('close', () => resolve());
  }

  async request(): Promise<ReceivedRequest> {
    const head = await this.#until(() => this.#received.indexOf('\r\n\r\n'));
    const [line = '', ...lines] = this.#received.subarray(0, head).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((each) => [each.split(': ')[0]?.toLowerCase() ?? '', each.replace(/^.*?: /, '')]),
    );
    const end = head + 4 + Number(headers.get('content-length'));
    await this.#until(() => (this.#received.length >= end ? end : -1));
    const body = this.#received.subarray(head + 4, end).toString('utf8');
    this.#received = this.#received.subarray(end);
    return { line, headers, body };
  }

  /** Any bytes. */
  async write(content: string | Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.write(content, () => resolve());
    await promise;
  }

  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  async #until(place: () => number): Promise<number> {
    for (;;) {
      const at = place();
      if (at >= 0) return at;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
