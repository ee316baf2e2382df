/** Numbers from 0 up to, and without, 1. The same seed gives the same numbers. */
export interface Chance {
  readonly seed: number;
  next(): number;
}

/** A generator with 32 bits of state (mulberry32, public domain): small, and good enough to draw faults. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  return {
    seed,
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
