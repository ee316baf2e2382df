import { randomBytes } from 'node:crypto';
import { platformTimers } from '../domain/long-timeout.ts';

/** Time and randomness are ports, so that a test can control them. */
export interface Clock {
  now(): Date;
  /** `ms` may be of any length, unlike that of the platform's setTimeout. */
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** A clock that also measures elapsed time, independent of the machine's time setting. */
export interface MonotonicClock extends Clock {
  /** Milliseconds since a fixed moment of this process. Never decreases. */
  elapsedMs(): number;
}

export const systemClock: MonotonicClock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  ...platformTimers,
};

export interface Random {
  bytes(length: number): Uint8Array;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
