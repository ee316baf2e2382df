import { randomBytes } from 'node:crypto';

/** Time and chance come in from outside, so that a test can own them. */
export interface Clock {
  now(): Date;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** A clock that also says how much time has passed, whatever the machine's hour is set to meanwhile. */
export interface SteadyClock extends Clock {
  /** Milliseconds since some moment of this process's life. Never goes back. */
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
