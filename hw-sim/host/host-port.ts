import type { Server } from 'node:net';

/**
 * The TCP port of a host. It can be closed and opened again under the same number. The caller handles its connections.
 */
export class HostPort {
  readonly #address: string;
  #number: number;
  #server: Server | undefined;

  /** `number` 0: any free port, which is then kept. */
  constructor(address: string, number: number) {
    this.#address = address;
    this.#number = number;
  }

  get number(): number {
    return this.#number;
  }

  get listening(): boolean {
    return this.#server !== undefined;
  }

  /** Does nothing if it is open already. Rejects with the system's error (EADDRINUSE) if it can't. */
  async open(made: () => Server): Promise<void> {
    if (this.#server) return;
    const server = made();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#number, this.#address, resolve);
    });
    // From now on only accept can fail, for lack of descriptors: then the terminal's connection is refused.
    server.on('error', () => undefined);
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#number = address.port;
    this.#server = server;
  }

  /** Closes the port at once; `cut` must close its connections. Resolves when all are closed. */
  async shut(cut: () => void): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    cut();
    await closed;
  }
}
