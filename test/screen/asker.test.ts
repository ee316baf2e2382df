import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: the page is plain JavaScript
import { askerText, merchantText } from '../../src/screen/page/asker.js';
// @ts-expect-error: the page is plain JavaScript
import { words } from '../../src/screen/page/words-en.js';

test('the screen names the till that asks, and cuts a name that would crowd the amount out', () => {
  assert.equal(askerText(undefined, words), undefined);
  assert.equal(askerText({ posId: 'POS-1' }, words), 'Till POS-1');
  assert.equal(askerText({ posId: 'POS-1', cloud: true }, words), 'Cloud till POS-1');
  assert.equal(askerText({ posId: 'P'.repeat(64) }, words), `Till ${'P'.repeat(10)}…`);
  // A name is text, and no pattern of a replacement.
  assert.equal(askerText({ posId: '$&' }, words), 'Till $&');
});

test('a long name of a merchant is cut', () => {
  assert.equal(merchantText(undefined), undefined);
  assert.equal(merchantText('Harbour Tea House'), 'Harbour Tea House');
  assert.equal(merchantText('M'.repeat(24)), 'M'.repeat(24));
  assert.equal(merchantText('M'.repeat(25)), `${'M'.repeat(23)}…`);
});
