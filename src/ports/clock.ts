import { randomBytes } from 'node:crypto';

/** Time and randomness are ports, so that a test can control them. */
export interface Clock {
  now(): Date;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** A clock that also measures elapsed time, independent of the machine's time setting. */
export interface SteadyClock extends Clock {
  /** Milliseconds since a fixed moment of this process. Never decreases. */
  elapsedMs(): number;
}

export const systemClock: SteadyClock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

export interface Random {
  bytes(length: number): Uint8Array;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
