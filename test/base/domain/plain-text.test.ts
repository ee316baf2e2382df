import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainJson, plainLines, plainText } from '../../../src/base/domain/plain-text.ts';

/** Clears the screen, turns red by C1, rings, deletes, turns the direction, hides, and ends a line in other ways. */
const hostile = '\u001b[2J\u009b31m\u0007\u007f\u202e\u2066\u200f\u{e0001}\u2028\u2029\r\u0085';
const text = `港灣 Café ✓ ${hostile}`;

test('what steers a terminal is written out, and every letter is as it was', () => {
  assert.equal(
    plainText(text),
    '港灣 Café ✓ \\u{1b}[2J\\u{9b}31m\\u{7}\\u{7f}\\u{202e}\\u{2066}\\u{200f}\\u{e0001}\\u{2028}\\u{2029}\\u{d}\\u{85}',
  );
  assert.equal(plainText('one\ntwo'), 'one\\u{a}two');
  assert.equal(plainLines('one\ntwo\u001b'), 'one\ntwo\\u{1b}');
});

test('JSON means the same, and nothing in it steers', () => {
  const value = { [hostile]: [text, 1, null] };
  for (const json of [JSON.stringify(value), JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n')]) {
    const plain = plainJson(json);
    assert.deepEqual(JSON.parse(plain), value);
    assert.doesNotMatch(plain, /[^\P{C}\n\t]|[\u2028\u2029]/u);
  }
});
