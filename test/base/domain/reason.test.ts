import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reasons } from '../../../src/base/domain/reason.ts';

const rows = [
  ...readFileSync(new URL('../../../docs/pos.md', import.meta.url), 'utf8').matchAll(
    /^\| ([a-z]\w+) \| ([A-Z_]+) \| (.+) \| (.+) \|$/gm,
  ),
];

test('docs/pos.md lists each reason with its words, and no other', () => {
  assert.deepEqual(
    rows.map(([, name, retryable, en, chinese]) => [name, retryable, en, chinese]),
    Object.entries(reasons).map(([name, { retryable, text }]) => [name, retryable, text.en, text['zh-Hant']]),
  );
});

test('each text is made of sentences, in both languages', () => {
  const texts = Object.values(reasons).map(({ text }) => text);
  for (const { en, 'zh-Hant': chinese } of texts) {
    assert.match(en, /^[A-Z].*\.$/);
    assert.match(chinese, /。$/);
  }
});
