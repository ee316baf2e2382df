import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostMessage } from '../../../src/hosts/iso8583/dialect.ts';
import { readInitialNumbers } from '../../../src/hosts/iso8583/network.ts';

const answer = (fields: HostMessage['fields']): HostMessage => ({ mti: '0810', fields });
const place = (field: number, at = 0, digits = 6) => ({ field, at, digits });

test('each number is read from its place', () => {
  const places = { batch: place(48, 4), invoice: place(60, 0, 4), stan: place(61) };
  assert.deepEqual(readInitialNumbers(answer({ 48: '0106000012', 60: '0007xx', 61: '999999' }), places), {
    batch: 12,
    invoice: 7,
    stan: 999_999,
  });
});

test('what is absent, cut, no number or zero is left out', () => {
  const places = { batch: place(48, 4), invoice: place(60), stan: place(61) };
  for (const text of ['010600001', '0106', '010600001x', '0106000000', '0106+00012', '0106 00012']) {
    assert.equal(readInitialNumbers(answer({ 48: text, 61: Uint8Array.of(1, 2, 3) }), places), undefined, text);
  }
});
