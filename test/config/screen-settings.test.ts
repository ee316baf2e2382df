import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { screenStyle } from '../../src/config/screen-settings.ts';

const schema = z.strictObject(screenStyle);

test('a screen is as it was unless the shop asks for more', () => {
  const { contrast, text, sounds, colours, logo } = schema.parse({});
  assert.deepEqual([contrast, text, sounds, colours, logo], ['auto', 'normal', false, {}, undefined]);
});

test('a colour on which white can’t be read is refused, with what to do', () => {
  assert.equal(schema.parse({ colours: { band: '#7A1F5C' } }).colours.band, '#7A1F5C');
  for (const [colours, said] of [
    [{ band: '#ffd800' }, /must be darker/],
    [{ accent: '#777777' }, /must be darker/],
    [{ band: 'red' }, /six digits/],
  ] as const) {
    const parsed = schema.safeParse({ colours });
    assert.match(parsed.error?.message ?? '', said);
  }
});
