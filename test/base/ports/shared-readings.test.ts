import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedReadings } from '../../../src/base/ports/shared-readings.ts';
import { settled } from '../../support/manual-clock.ts';

/** A value that changes, read by readings that end when the test says so. */
class Source {
  value = 1;
  readonly begun: PromiseWithResolvers<void>[] = [];
  readonly #readings = new SharedReadings<string, number>();

  read(key: string): Promise<number> {
    return this.#readings.read(key, async () => {
      const reading = Promise.withResolvers<void>();
      this.begun.push(reading);
      const { value } = this;
      await reading.promise;
      return value;
    });
  }
}

test('calls that arrive while one is read share the next reading, which begins after them', async () => {
  const source = new Source();
  const first = source.read('one');
  source.value = 2;
  const later = Array.from({ length: 100 }, () => source.read('one'));
  assert.equal(source.begun.length, 1);
  source.begun[0]?.resolve();
  assert.equal(await first, 1);
  await settled();
  assert.equal(source.begun.length, 2);
  source.begun[1]?.resolve();
  assert.deepEqual(new Set(await Promise.all(later)), new Set([2]));
  source.value = 3;
  const last = source.read('one');
  source.begun[2]?.resolve();
  assert.equal(await last, 3);
});

test('readings of two keys do not wait for each other', async () => {
  const source = new Source();
  const both = [source.read('one'), source.read('two')];
  for (const each of source.begun) each.resolve();
  assert.deepEqual(await Promise.all(both), [1, 1]);
});

test('a reading that fails rejects its own calls, and the next one is made', async () => {
  let begun = 0;
  const readings = new SharedReadings<string, number>();
  const read = () =>
    readings.read('one', async () => {
      begun += 1;
      if (begun === 1) throw new Error('broken');
      return begun;
    });
  const first = read();
  const second = read();
  await assert.rejects(first, /broken/);
  assert.equal(await second, 2);
  assert.equal(await read(), 3);
});
