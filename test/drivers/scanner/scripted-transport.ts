import { DeviceError } from '../../../src/base/ports/device.ts';
import { ScriptedLine } from '../../support/scripted-line.ts';

/** A scanner's line. */
export class ScriptedTransport extends ScriptedLine {
  /** Every write, as hex. */
  readonly writes: string[] = [];
  /** Runs before each write is taken: may wait or throw. */
  onWrite: () => Promise<void> | void = () => {};

  constructor() {
    super('/dev/scanner-under-test', 'ready');
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.state !== 'ready' || this.closed) throw new DeviceError('absent', 'not connected');
    this.writes.push(Buffer.from(bytes).toString('hex'));
    await this.onWrite();
  }

  /** Text as the scanner's bytes, or the bytes themselves. */
  emit(data: string | Uint8Array): void {
    this.receive(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }
}
