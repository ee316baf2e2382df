/** The longest delay of setTimeout, 24.8 days. It runs at once after a longer one. */
export const delayMsMost = 2 ** 31 - 1;

export interface Timers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** A delay in parts. */
class LongDelay {
  part: unknown;
}

/** The same timers, which also take delays of any length, and one without end (Infinity). */
export function withLongDelays(timers: Timers): Timers {
  const begin = (delay: LongDelay, run: () => void, leftMs: number) => {
    const partMs = Math.min(leftMs, delayMsMost);
    const next = partMs < leftMs ? () => begin(delay, run, leftMs - partMs) : run;
    delay.part = timers.setTimeout(next, partMs);
  };
  return {
    setTimeout(run, ms) {
      if (!(ms > delayMsMost)) return timers.setTimeout(run, ms);
      const delay = new LongDelay();
      begin(delay, run, ms);
      return delay;
    },
    clearTimeout(handle) {
      timers.clearTimeout(handle instanceof LongDelay ? handle.part : handle);
    },
  };
}

/** Those of the platform, which a till's browser has too. */
export const platformTimers = withLongDelays({
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as number | undefined),
});
