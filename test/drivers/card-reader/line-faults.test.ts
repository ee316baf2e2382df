import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Payment } from './bad-line/payment.ts';
import { readers } from './bad-line/readers.ts';

/** LINE_SEED=7 replays one, LINE_SEEDS is how many there are. */
const only = process.env['LINE_SEED'];
const count = Number(process.env['LINE_SEEDS'] ?? 40);
const seeds = only === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(only)];

/** What the customers of so many seeds must have met: a harness that plays nothing proves nothing. */
const common = [
  'cut hold delay lose repeat unplug'.split(' '),
  ['card', 'cancelled', 'timeout', 'use-magstripe', 'vanished'].map((outcome) => `collect: ${outcome}`),
  ['agreed', 'refused'].map((outcome) => `complete: ${outcome}`),
  ['pin', 'cancelled', 'timeout'].map((outcome) => `enterPin: ${outcome}`),
].flat();

describe('a payment on a bad line ends, approves nothing wrongly, and the next one on a good line succeeds', () => {
  for (const kind of readers) {
    test(kind.name, { timeout: 600_000 }, async (t) => {
      const met = new Map<string, number>();
      for (const seed of seeds) {
        const payment = new Payment(kind, seed);
        try {
          await payment.play();
        } catch (error) {
          t.diagnostic(`LINE_SEED=${seed}\n${payment.trace.join('\n')}`);
          throw error;
        }
        for (const what of payment.met) met.set(what, (met.get(what) ?? 0) + 1);
      }
      t.diagnostic(`${seeds.length} seeds: ${[...met].map(([what, times]) => `${what} ${times}`).join(', ')}`);
      if (seeds.length < 150) return;
      for (const what of common) assert.ok(met.has(what), `no ${what} in ${seeds.length} seeds`);
    });
  }
});
