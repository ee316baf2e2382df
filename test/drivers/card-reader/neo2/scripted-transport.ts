import type { Transport } from '../../../../drivers/transport/transport.ts';
import { DeviceError, type DeviceState } from '../../../../src/ports/device.ts';

/** A line whose other end is the test: it sees every write, and says what comes back. */
export class ScriptedTransport implements Transport {
  readonly path = '/dev/reader';
  state: DeviceState;
  /** Command and sub-command of each frame that was written: '18-01'. */
  readonly sent: string[] = [];
  readonly frames: Uint8Array[] = [];
  /** Answers by command and sub-command; what is not here stays unanswered. */
  readonly answers = new Map<string, Uint8Array>();
  writes: 'taken' | 'stuck' | 'refused' = 'taken';
  closed = false;
  readonly #states = new Set<(state: DeviceState) => void>();
  readonly #data = new Set<(chunk: Uint8Array) => void>();

  constructor(state: DeviceState = 'ready') {
    this.state = state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  }

  onData(listener: (chunk: Uint8Array) => void): () => void {
    this.#data.add(listener);
    return () => this.#data.delete(listener);
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

  receive(bytes: Uint8Array): void {
    const chunk = Uint8Array.from(bytes);
    for (const listener of this.#data) listener(chunk);
  }

  become(state: DeviceState): void {
    this.state = state;
    for (const listener of this.#states) listener(state);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.state = 'absent';
  }

  get listeners(): number {
    return this.#states.size + this.#data.size;
  }
}
