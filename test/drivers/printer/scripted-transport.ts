import { DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import { ScriptedLine } from '../../support/scripted-line.ts';

/** A line with a printer at its end that answers DLE EOT with the bytes the test has set. */
export class ScriptedTransport extends ScriptedLine {
  /** Answers to DLE EOT 1, 2 and 4; nothing for a printer that stays silent. */
  answers: Record<number, readonly number[] | undefined> = { 1: [0x12], 2: [0x12], 4: [0x12] };
  oneWay = false;
  /** Every write since connecting, as hex. */
  readonly writes: string[] = [];
  /** Runs before each write is taken: may wait, throw, or unplug. */
  onWrite: (count: number, bytes: Uint8Array) => Promise<void> | void = () => {};
  /** Bytes on paper since the printer was last connected. */
  readonly paper: number[] = [];

  constructor() {
    super('/dev/printer-under-test', 'absent');
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.state !== 'ready') throw new DeviceError('absent', 'not connected');
    this.writes.push(Buffer.from(bytes).toString('hex'));
    await this.onWrite(this.writes.length, bytes);
    if (this.state !== 'ready') throw new DeviceError('vanished', 'unplugged');
    const [first, second, n = 0] = bytes;
    if (bytes.length === 3 && first === 0x10 && second === 0x04) {
      const answer = this.oneWay ? undefined : this.answers[n];
      if (answer) queueMicrotask(() => this.emit(...answer));
    } else {
      this.paper.push(...bytes);
    }
  }

  emit(...bytes: readonly number[]): void {
    if (this.state === 'ready') this.receive(Uint8Array.from(bytes));
  }

  override become(state: DeviceState): void {
    if (this.state !== state && state === 'ready') {
      this.writes.length = 0;
      this.paper.length = 0;
    }
    super.become(state);
  }
}
