import type { Clock } from '../base/ports/clock.ts';
import type { Log, LogFields } from './log.ts';

const periodMs = 60_000;
/** Lines of one kind that are written within a period. */
const linesMax = 20;

interface Kind {
  readonly event: string;
  readonly fields: LogFields;
  readonly timer: unknown;
  lines: number;
}

/**
 * A log for events that hosts, brokers, devices and callers cause. Its limits protect the disk and the processor from
 * repeated messages. Of each kind, the first lines of a minute are written, then one line that counts the others. A
 * kind is an event with its acquirer or device, both of which are named in the configuration.
 */
export class LimitedLog implements Log {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Kind>();
  #isClosed = false;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  get lostLines(): number {
    return this.#log.lostLines ?? 0;
  }

  info(event: string, fields: LogFields = {}): void {
    if (this.#admits(event, fields)) this.#log.info(event, fields);
  }

  warn(event: string, fields: LogFields = {}): void {
    if (this.#admits(event, fields)) this.#log.warn(event, fields);
  }

  failure(event: string, error: unknown): void {
    if (this.#admits(event, {})) this.#log.failure(event, error);
  }

  /** Writes the counts of the current period. Later lines are not limited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of this.#kinds.keys()) this.#end(key);
  }

  #admits(event: string, { acquirerId, device }: LogFields): boolean {
    if (this.#isClosed) return true;
    const key = JSON.stringify([event, acquirerId, device]);
    const kind = this.#kinds.get(key);
    if (kind) return (kind.lines += 1) <= linesMax;
    const fields = {
      ...(acquirerId === undefined ? {} : { acquirerId }),
      ...(device === undefined ? {} : { device }),
    };
    const timer = this.#clock.setTimeout(() => this.#end(key), periodMs);
    this.#kinds.set(key, { event, fields, timer, lines: 1 });
    return true;
  }

  #end(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind) return;
    this.#clock.clearTimeout(kind.timer);
    this.#kinds.delete(key);
    const more = kind.lines - linesMax;
    if (more <= 0) return;
    this.#log.warn(kind.event, { ...kind.fields, reason: `${more} more within a minute` });
  }
}
