import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrastWithWhite } from '../../../src/config/screen-settings.ts';

test('the contrast with white is that of WCAG 2.2', () => {
  assert.equal(contrastWithWhite('#000000'), 21);
  assert.equal(contrastWithWhite('#ffffff'), 1);
  // The greys on both sides of 4.5:1 (WebAIM, "Contrast and Color Accessibility").
  assert.ok((contrastWithWhite('#767676') ?? 0) >= 4.5);
  assert.ok((contrastWithWhite('#777777') ?? 5) < 4.5);
  assert.equal(contrastWithWhite('#FF0000')?.toFixed(2), '4.00');
});

test('what is no colour of six digits has none', () => {
  for (const text of ['', 'red', '#fff', '#12345g', '0d2747', '#0d27471']) {
    assert.equal(contrastWithWhite(text), undefined, text);
  }
});
