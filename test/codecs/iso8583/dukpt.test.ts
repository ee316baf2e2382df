import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { transactionKey } from '../../../hw-sim/crypto/dukpt.ts';
import { counterAfter, counterOf, onesIn, withCounter } from '../../../src/base/domain/dukpt-counter.ts';
import { FutureKeys } from '../../../src/codecs/iso8583/dukpt.ts';
import { computeMac } from '../../../src/codecs/iso8583/mac.ts';

interface Row {
  readonly sequence: 'initial' | 'rollover';
  readonly ksn: string;
  readonly transactionKey: string;
  readonly requestMac?: string;
  readonly responseMac?: string;
}

interface Vectors {
  readonly testKeyBdk: string;
  readonly initialKsn: string;
  readonly initialKey: string;
  readonly message: string;
  readonly rows: readonly Row[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/dukpt-tdes.json', import.meta.url), 'utf8'),
) as Vectors;
const { initialKsn, rows } = vectors;
const bdk = Buffer.from(vectors.testKeyBdk, 'hex');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
const begin = () => new FutureKeys(initialKsn, Buffer.from(vectors.initialKey, 'hex'));
const lastCounter = 0x1f_f8_00;

/** The transaction key, from the variant for requests (ANSI X9.24-1:2009, A.4.1). */
function keyOf(request: Uint8Array): string {
  const variant = Buffer.from('000000000000FF00000000000000FF00', 'hex');
  return hex(request.map((byte, at) => byte ^ (variant[at] ?? 0)));
}

describe('TDES DUKPT, published vectors', () => {
  test('each counter in order gives the published key', () => {
    const keys = begin();
    assert.equal(rows.length, 34);
    for (const row of rows) {
      const { request, ksn } = keys.take(counterOf(row.ksn));
      assert.deepEqual([hex(ksn), keyOf(request)], [row.ksn, row.transactionKey]);
    }
  });

  for (const row of rows) {
    test(`${row.ksn} as the first counter`, () => {
      assert.equal(keyOf(begin().take(counterOf(row.ksn)).request), row.transactionKey);
    });
    const { requestMac, responseMac } = row;
    if (requestMac === undefined || responseMac === undefined) continue;
    test(`${row.ksn}: the codes of request and answer`, () => {
      const { request, answer } = begin().take(counterOf(row.ksn));
      const message = Buffer.from(vectors.message, 'latin1');
      assert.equal(hex(computeMac('iso9797-3', request, message)), requestMac);
      assert.equal(hex(computeMac('iso9797-3', answer, message)), responseMac);
    });
  }

  test('counters follow each other as in the vectors', () => {
    for (const sequence of ['initial', 'rollover'] as const) {
      const own = rows.filter((row) => row.sequence === sequence).map(({ ksn }) => counterOf(ksn));
      for (const [at, counter] of own.entries()) {
        const next = own[at + 1];
        if (next !== undefined) assert.equal(counterAfter(counter), next);
      }
    }
  });
});

describe('counters', () => {
  test('1,048,575 keys, each with at most ten one bits', () => {
    let count = 0;
    let last = 0;
    for (let next = counterAfter(0); next !== undefined; next = counterAfter(next)) {
      assert.ok(next > last && onesIn(next) <= 10);
      count += 1;
      last = next;
    }
    assert.deepEqual([count, last], [1_048_575, lastCounter]);
  });

  test('several steps are as many single ones, and end at the last counter', () => {
    let single = 0x0f_f7_00;
    for (let step = 0; step < 64; step++) single = counterAfter(single) ?? Number.NaN;
    assert.equal(counterAfter(0x0f_f7_00, 64), single);
    assert.equal(counterAfter(0x1f_f4_00, 64), lastCounter);
    assert.equal(counterAfter(lastCounter), undefined);
  });

  test('a serial number has its counter in its lowest 21 bits', () => {
    assert.equal(counterOf('FFFF9876543210FFFFFF'), 0x1f_ff_ff);
    assert.equal(withCounter('FFFF9876543210E00007', 0x12), 'FFFF9876543210E00012');
    assert.equal(withCounter('ffff98765432110fffff', 0), 'FFFF9876543211000000');
  });
});

describe('keys that are still to be used', () => {
  test('any counters in rising order have the keys that another program derives from the base key', () => {
    const keys = begin();
    let seed = 7;
    for (let counter = 0, taken = 0; taken < 300; taken++) {
      seed = (seed * 48_271) % 2_147_483_647;
      const next: number | undefined = counterAfter(counter, taken % 3 === 0 ? (seed % 5_000) + 1 : 1);
      if (next === undefined) break;
      counter = next;
      const { request, ksn } = keys.take(counter);
      assert.equal(keyOf(request), hex(transactionKey(bdk, Buffer.from(ksn))), `counter ${counter}`);
    }
  });

  test('the last counter', () => {
    const ksn = withCounter(initialKsn, lastCounter);
    assert.equal(keyOf(begin().take(lastCounter).request), hex(transactionKey(bdk, Buffer.from(ksn, 'hex'))));
  });

  test('no key is given twice, and none before one that was given', () => {
    const keys = begin();
    keys.take(8);
    for (const counter of [8, 7, 1, 0]) assert.throws(() => keys.take(counter), RangeError);
    assert.equal(keyOf(keys.take(9).request), rows.find(({ ksn }) => ksn.endsWith('00009'))?.transactionKey);
  });

  test('a counter with eleven one bits, and one of 22 bits, have none', () => {
    for (const counter of [0x7_ff, 0x20_00_00, 0.5, Number.NaN]) assert.throws(() => begin().take(counter), RangeError);
  });

  test('the initial key is overwritten', () => {
    const initialKey = Buffer.from(vectors.initialKey, 'hex');
    new FutureKeys(initialKsn, initialKey).take(1);
    assert.deepEqual(initialKey, Buffer.alloc(16));
    assert.throws(() => new FutureKeys(initialKsn, Buffer.alloc(8)), RangeError);
    assert.throws(() => new FutureKeys('FFFF', Buffer.alloc(16)), RangeError);
  });
});
