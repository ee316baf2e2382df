import { constants, openSync, writeSync } from 'node:fs';
import tty from 'node:tty';

/** The terminal's end of a serial line, opened at the device's link as a driver would. */
export class Line {
  readonly #fd: number;
  readonly #stream: tty.ReadStream;
  #received = Buffer.alloc(0);
  #arrived: (() => void) | undefined;

  constructor(link: string) {
    this.#fd = openSync(link, constants.O_RDWR | constants.O_NOCTTY);
    this.#stream = new tty.ReadStream(this.#fd);
    this.#stream.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#arrived?.();
    });
    // The hangup of an unplugged device.
    this.#stream.on('error', () => undefined);
  }

  write(hex: string): void {
    writeSync(this.#fd, Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  }

  /** Waits for so many bytes and takes them, as hex. */
  async read(count: number): Promise<string> {
    while (this.#received.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      await promise;
    }
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken.toString('hex');
  }

  close(): void {
    this.#stream.destroy();
  }
}
