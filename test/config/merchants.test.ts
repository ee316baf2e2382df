import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradictions } from '../../src/config/contradictions.ts';
import { settings } from '../../src/config/settings.ts';
import { sampleConfiguration } from '../../src/config/sample.ts';
import { findUnsettable } from '../../src/config/settable.ts';
import { merchantHeaders, merchantsOf } from '../../src/main/composition/merchants.ts';

const sample = sampleConfiguration(['EDC', 'CUP', 'CASH']).configuration as { readonly acquirers: readonly object[] };
const [tea, books] = [
  { id: 'tea', name: 'Harbour Tea House' },
  { id: 'books', name: 'Harbour Books', address: '2 Pier Road' },
];

function configured(merchants: readonly object[], ...own: readonly object[]) {
  const acquirers = sample.acquirers.map((each, at) => ({ ...each, ...own[at] }));
  return settings.parse({ ...sample, merchants, acquirers });
}

function faults(merchants: readonly object[], ...own: readonly object[]) {
  return contradictions(configured(merchants, ...own)).map(({ path, message }) => `${path.join('.')} ${message}`);
}

test('an acquirer names its merchant, and is the first one’s if it names none', () => {
  const configuration = configured([tea, books], {}, { merchant: 'books' });
  assert.deepEqual(contradictions(configuration), []);
  const { all, ofAcquirer } = merchantsOf(configuration);
  assert.deepEqual(all, [tea, { id: 'books', name: 'Harbour Books' }]);
  assert.deepEqual(
    [...ofAcquirer],
    [
      ['EDC', 'tea'],
      ['CUP', 'books'],
    ],
  );
  const header = { name: 'Harbour Books', address: '2 Pier Road', phone: '', email: '' };
  assert.deepEqual(merchantHeaders(configuration).get('books'), header);
});

test('none are configured by default, and then an acquirer has none', () => {
  const configuration = configured([]);
  assert.deepEqual(configuration.merchants, []);
  assert.equal(merchantsOf(configuration).ofAcquirer.size, 0);
});

test('contradictions have their place', () => {
  assert.deepEqual(faults([tea, tea]), ['merchants.1.id is that of merchants.0 too: each id may be used once']);
  assert.deepEqual(faults([tea], {}, { merchant: 'books' }), ['acquirers.1.merchant is the id of none of merchants']);
  assert.deepEqual(faults([], { merchant: 'tea' }), ['acquirers.0.merchant is the id of none of merchants']);
});

test('an id is a short word', () => {
  for (const id of ['', 'tea house', 'm'.repeat(33), 'té'])
    assert.equal(settings.safeParse({ ...sample, merchants: [{ ...tea, id }] }).success, false, id);
  for (const id of ['A', 'a-b_C9', 'm'.repeat(32)])
    assert.equal(settings.safeParse({ ...sample, merchants: [{ ...tea, id }] }).success, true, id);
});

test('a fleet may set them', () => {
  assert.equal(findUnsettable({ merchants: [tea] }), undefined);
});
