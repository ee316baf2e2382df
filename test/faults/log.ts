import { createHash } from 'node:crypto';
import { Trace } from '../payment/terminal/trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The events of one schedule with their times, and the number of each kind of fault. */
export class Log extends Trace {
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    super();
    this.#time = time;
  }

  override push(event: string): void {
    this.lines.push(`${(this.#time.elapsedMs / 1000).toFixed(3).padStart(10)} ${event}`);
  }

  /** Logs an event, and counts it by its name. */
  counted(name: string, detail = ''): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    this.push(`-- ${name}${detail === '' ? '' : `: ${detail}`}`);
  }

  get hash(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex');
  }
}
