/** Hong Kong is 8 hours ahead of UTC the whole year. */
export const hongKongOffsetMinutes = 8 * 60;

const minuteMs = 60_000;

/** Setting of a host's clock: its offset from the true time, and its time zone. */
export interface ClockSetting {
  readonly clockOffsetMs?: number;
  readonly utcOffsetMinutes?: number;
}

/** The host's own clock, used for its numbers, dates and searches. It may be wrong. */
export class HostClock {
  readonly #true: () => Date;
  #offsetMs = 0;
  #utcOffsetMinutes = hongKongOffsetMinutes;

  constructor(trueTime: () => Date) {
    this.#true = trueTime;
  }

  set({ clockOffsetMs = 0, utcOffsetMinutes = hongKongOffsetMinutes }: ClockSetting): void {
    this.#offsetMs = clockOffsetMs;
    this.#utcOffsetMinutes = utcOffsetMinutes;
  }

  /** The true time, used for durations. */
  trueMs(): number {
    return this.#true().getTime();
  }

  /** The host's time. */
  now(): Date {
    return new Date(this.trueMs() + this.#offsetMs);
  }

  /** YYYY-MM-DD hh:mm:ss in the host's time zone. */
  text(at: Date): string {
    const local = new Date(at.getTime() + this.#utcOffsetMinutes * minuteMs);
    return local.toISOString().slice(0, 19).replace('T', ' ');
  }

  isSameDay(one: Date, other: Date): boolean {
    return this.text(one).slice(0, 10) === this.text(other).slice(0, 10);
  }
}
