import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP peer that knows nothing of ISO 8583: it takes and gives bytes as the test says. */
export class ScriptedHost {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  readonly #arrived: HostSide[] = [];
  readonly #waiting: ((side: HostSide) => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.push(socket);
      const side = new HostSide(socket);
      const waiting = this.#waiting.shift();
      if (waiting) waiting(side);
      else this.#arrived.push(side);
    });
  }

  /** `port` only to come back where it was before. */
  static async listen(port = 0): Promise<ScriptedHost> {
    const server = createServer({ allowHalfOpen: true });
    const host = new ScriptedHost(server);
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
  /** Resolves once the terminal has ended the connection. */
  readonly ended: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    socket.on('error', () => {});
    socket.once('end', resolve);
    socket.once('close', () => resolve());
  }

  /** Exactly the next `count` bytes, as hex. */
  async read(count: number): Promise<string> {
    while (this.#received.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken.toString('hex').toUpperCase();
  }

  /** One frame: two bytes of length and what they count. */
  async readFrame(): Promise<string> {
    const length = await this.read(2);
    return length + (await this.read(Buffer.from(length, 'hex').readUInt16BE()));
  }

  async write(...hex: string[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.write(Buffer.from(hex.join(''), 'hex'), () => resolve());
    await promise;
  }

  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }
}
