/** Hong Kong is 8 hours ahead of UTC the whole year. */
export const hongKongOffsetMinutes = 8 * 60;

const minuteMs = 60_000;

/** Where a host's clock stands: how far beside the true time, and in which time zone. */
export interface ClockSetting {
  readonly clockOffsetMs?: number;
  readonly utcOffsetMinutes?: number;
}

/** The host's own clock: what it numbers, dates and searches by. It need not be right. */
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

  /** The true time: what lasts, lasts by it. */
  trueMs(): number {
    return this.#true().getTime();
  }

  /** What the host takes for the time. */
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
