import { EscPosPrinter } from '../../../hw-sim/printer/printer.ts';
import type { Pty } from '../../../hw-sim/pty.ts';

/** A printer on a wire that the test holds: what it sends is kept as hex. */
export class Wire implements Pty {
  readonly link = '/nowhere/printer';
  plugged = true;
  #listener: ((chunk: Buffer) => void) | undefined;
  #sent = '';
  readonly printer = new EscPosPrinter(this);

  /** Bytes to the printer: hex, blanks allowed, in one chunk. */
  send(...hex: string[]): void {
    for (const chunk of hex) this.#listener?.(Buffer.from(chunk.replaceAll(' ', ''), 'hex'));
  }

  print(text: string): void {
    this.#listener?.(Buffer.from(text, 'latin1'));
  }

  /** What the printer has sent since the last call, as hex. */
  received(): string {
    const sent = this.#sent;
    this.#sent = '';
    return sent;
  }

  write(bytes: Uint8Array): void {
    this.#sent += Buffer.from(bytes).toString('hex');
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#listener = listener;
  }

  unplug(): Promise<void> {
    this.plugged = false;
    return Promise.resolve();
  }

  plug(): Promise<void> {
    this.plugged = true;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
