import type { Server } from 'node:net';

/** The port of a host, which opens, shuts and opens again under the same number. What comes in through it is the caller's. */
export class HostPort {
  readonly #address: string;
  #number: number;
  #server: Server | undefined;

  /** `number` 0: any free one, which is kept from then on. */
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

  /** Does nothing where it is open already. Rejects with the system's error (EADDRINUSE) where it can't. */
  async open(made: () => Server): Promise<void> {
    if (this.#server) return;
    const server = made();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#number, this.#address, resolve);
    });
    // From here on only accepting can fail, for want of descriptors: the terminal sees its connection refused.
    server.on('error', () => undefined);
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#number = address.port;
    this.#server = server;
  }

  /** Closes the port at once; `cut` closes what came in through it. Ends when all is closed. */
  async shut(cut: () => void): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    cut();
    await closed;
  }
}
