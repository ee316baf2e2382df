import { DeviceError, type DeviceState } from '../../../../src/base/ports/device.ts';
import { ScriptedLine } from '../../../support/scripted-line.ts';

/** A NEO2 reader's line: it sees every frame, and says what comes back. */
export class ScriptedTransport extends ScriptedLine {
  /** Command and sub-command of each frame that was written: '18-01'. */
  readonly sent: string[] = [];
  readonly frames: Uint8Array[] = [];
  /** Answers by command and sub-command; what is not here stays unanswered. */
  readonly answers = new Map<string, Uint8Array>();
  writes: 'taken' | 'stuck' | 'refused' = 'taken';

  constructor(state: DeviceState = 'ready') {
    super('/dev/reader', state);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.writes === 'stuck') return new Promise(() => {});
    if (this.writes === 'refused' || this.state !== 'ready') throw new DeviceError('absent', 'nothing there');
    const name = [bytes[10], bytes[11]].map((byte) => (byte ?? 0).toString(16).padStart(2, '0')).join('-');
    this.sent.push(name);
    this.frames.push(bytes);
    const answer = this.answers.get(name);
    if (answer) queueMicrotask(() => this.receive(answer));
  }
}
