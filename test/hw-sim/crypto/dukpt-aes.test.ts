import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  decryptData,
  encryptData,
  initialKey,
  nextKsn,
  pinKey,
  transactionKey,
} from '../../../hw-sim/crypto/dukpt-aes.ts';
import { dukptScheme } from '../../../hw-sim/crypto/dukpt-scheme.ts';
import { encryptedPinBlockFormat4, panFieldFormat4, pinFieldFormat4 } from '../../../hw-sim/crypto/pin-block.ts';

interface Row {
  readonly sequence: 'initial' | 'rollover' | 'last';
  readonly ksn: string;
  readonly transactionKey: string;
  readonly pinKey?: string;
  readonly encryptedPinBlock?: string;
  readonly dataRequestCiphertext?: string;
}

interface Vectors {
  readonly testKeyBdk: string;
  readonly initialKsn: string;
  readonly initialKey: string;
  readonly pin: string;
  readonly pan: string;
  readonly pinField: string;
  readonly panField: string;
  readonly message: string;
  readonly rows: readonly Row[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/dukpt-aes.json', import.meta.url), 'utf8'),
) as Vectors;
const bdk = bytes(vectors.testKeyBdk);
const filling = bytes(vectors.pinField).subarray(8);

describe('AES DUKPT, published vectors', () => {
  test('the initial key, whatever the counter says', () => {
    assert.equal(hex(initialKey(bdk, bytes(vectors.initialKsn))), vectors.initialKey);
    assert.equal(hex(initialKey(bdk, bytes('123456789012345600000007'))), vectors.initialKey);
  });

  test('all rows are there', () => {
    const having = (key: keyof Row) => vectors.rows.filter((row) => row[key] !== undefined).length;
    assert.deepEqual([vectors.rows.length, having('pinKey'), having('dataRequestCiphertext')], [15, 3, 8]);
  });

  test('the two fields of a PIN block of format 4', () => {
    assert.equal(hex(pinFieldFormat4(vectors.pin, filling)), vectors.pinField);
    assert.equal(hex(panFieldFormat4(vectors.pan)), vectors.panField);
  });

  for (const row of vectors.rows) {
    test(`${row.ksn}: transaction key`, () => {
      assert.equal(hex(transactionKey(bdk, bytes(row.ksn))), row.transactionKey);
    });
    const { dataRequestCiphertext: cipher } = row;
    if (cipher !== undefined) {
      test(`${row.ksn}: data`, () => {
        const clear = Buffer.concat([Buffer.from(vectors.message, 'latin1'), Buffer.alloc(15)]);
        assert.equal(hex(encryptData(bdk, bytes(row.ksn), clear)), cipher);
        assert.equal(hex(dukptScheme(bytes(row.ksn)).encryptData(bdk, bytes(row.ksn), clear)), cipher);
        assert.deepEqual(decryptData(bdk, bytes(row.ksn), bytes(cipher)), clear);
      });
    }
    if (row.pinKey === undefined) continue;
    test(`${row.ksn}: PIN key and block`, () => {
      const ksn = bytes(row.ksn);
      assert.equal(hex(pinKey(bdk, ksn)), row.pinKey);
      const { pin, pan } = vectors;
      assert.equal(hex(encryptedPinBlockFormat4(pinKey(bdk, ksn), pin, pan, filling)), row.encryptedPinBlock);
      const block = dukptScheme(ksn).encryptPin(bdk, ksn, { digits: pin, pan }, () => filling);
      assert.equal(hex(block), row.encryptedPinBlock);
    });
  }
});

describe('the counter', () => {
  for (const sequence of ['initial', 'rollover', 'last'] as const) {
    test(`counts as the published ${sequence} sequence does`, () => {
      const rows = vectors.rows.filter((row) => row.sequence === sequence).map(({ ksn }) => ksn);
      if (sequence === 'initial') rows.unshift(vectors.initialKsn);
      rows.slice(1).forEach((ksn, index) => assert.equal(hex(nextKsn(bytes(rows[index] ?? ''))), ksn));
    });
  }

  test('ends with the last that has sixteen ones', () => {
    assert.throws(() => nextKsn(bytes('1234567890123456FFFF0000')), RangeError);
  });

  test('no key for a counter of 0, of seventeen ones, or for a serial number of another length', () => {
    for (const ksn of ['123456789012345600000000', '12345678901234560001FFFF', 'FFFF9876543210E00001']) {
      assert.throws(() => transactionKey(bdk, bytes(ksn)), RangeError);
    }
  });
});

test('ten bytes are TDES, twelve are AES', () => {
  assert.equal(dukptScheme(bytes('FFFF9876543210E00001')).name, 'TDES');
  assert.equal(dukptScheme(bytes(vectors.initialKsn)).name, 'AES');
});

test('keys and data of the wrong length are refused', () => {
  const ksn = bytes('123456789012345600000001');
  assert.throws(() => encryptData(bdk, ksn, Buffer.alloc(15)), RangeError);
  assert.throws(() => encryptData(bdk.subarray(1), ksn, Buffer.alloc(16)), RangeError);
});

function bytes(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function hex(buffer: Buffer): string {
  return buffer.toString('hex').toUpperCase();
}
