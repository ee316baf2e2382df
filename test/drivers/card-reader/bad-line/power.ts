import type { Pty } from '../../../../hw-sim/pty.ts';
import type { SpoiltLine } from '../../../../hw-sim/line.ts';

/** The device's socket: switched off, the device is mute and deaf, and its cable is still in. */
export class Power implements Pty {
  on = true;
  readonly #line: SpoiltLine;

  constructor(line: SpoiltLine) {
    this.#line = line;
  }

  get link(): string {
    return this.#line.link;
  }

  get plugged(): boolean {
    return this.#line.plugged;
  }

  write(bytes: Uint8Array): void {
    if (this.on) this.#line.write(bytes);
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#line.onData((chunk) => {
      if (this.on) listener(chunk);
    });
  }

  async unplug(): Promise<void> {
    if (this.on) await this.#line.unplug();
  }

  plug(): Promise<void> {
    return this.#line.plug();
  }

  close(): Promise<void> {
    return this.#line.close();
  }
}
