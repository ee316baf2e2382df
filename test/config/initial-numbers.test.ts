import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialNumbers, initialNumbersAt } from '../../src/methods/card/settings/initial-numbers.ts';

const settings = { until: '2026-12-31', batch: 1, stan: 7 };

test('the numbers count until their last day is over in UTC', () => {
  const given = initialNumbers.parse(settings);
  assert.deepEqual(initialNumbersAt(given, new Date('2026-12-31T23:59:59.999Z')), { batch: 1, stan: 7 });
  assert.equal(initialNumbersAt(given, new Date('2027-01-01T00:00:00.000Z')), undefined);
  assert.equal(initialNumbersAt(undefined, new Date('2026-12-31T00:00:00.000Z')), undefined);
});

test('numbers of six digits, and a last day, are required', () => {
  for (const [wrong, place] of [
    [{ batch: 1 }, 'until'],
    [{ ...settings, until: '2026-02-30' }, 'until'],
    [{ ...settings, batch: 0 }, 'batch'],
    [{ ...settings, invoice: 1_000_000 }, 'invoice'],
    [{ ...settings, stan: 1.5 }, 'stan'],
  ] as const) {
    const { error } = initialNumbers.safeParse(wrong);
    assert.deepEqual(
      error?.issues.map((issue) => issue.path),
      [[place]],
    );
  }
});
