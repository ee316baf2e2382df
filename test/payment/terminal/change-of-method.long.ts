import { test } from 'node:test';
import { changed } from './method-changes.ts';

/** METHOD_SEED replays one, METHOD_SEEDS runs up to that one. */
const only = process.env['METHOD_SEED'];
const count = Number(process.env['METHOD_SEEDS'] ?? 500);
const perTest = 50;

if (only === undefined) {
  for (let first = 101; first <= count; first += perTest) {
    const last = first + perTest - 1;
    test(`the merchant changes the method, seeds ${first} to ${last}: one payment or none, one thing armed`, async () => {
      for (let seed = first; seed <= last; seed++) await changed(seed);
    });
  }
} else {
  test(`the merchant changes the method, seed ${only}`, () => changed(Number(only)));
}
