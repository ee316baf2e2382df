import { Duplex } from 'node:stream';

/** A connection in memory with what node:http asks of its sockets; its bytes go where the line takes them. */
export class MemorySocket extends Duplex {
  readonly #sent: (bytes: Buffer) => void;

  constructor(sent: (bytes: Buffer) => void) {
    super({ allowHalfOpen: false });
    this.#sent = sent;
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.#sent(chunk);
    done();
  }

  override _read(): void {}

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  /** Time here is virtual, and a client that waits has a clock of its own. */
  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }
}
