import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  decryptData,
  encryptData,
  encryptPinBlock,
  initialKey,
  messageMac,
  nextKsn,
  transactionKey,
} from '../../../hw-sim/crypto/dukpt.ts';

interface Row {
  readonly sequence: 'initial' | 'rollover';
  readonly ksn: string;
  readonly transactionKey: string;
  readonly encryptedPinBlock: string;
  readonly dataRequestCiphertext?: string;
  readonly requestMac?: string;
  readonly responseMac?: string;
}

interface Vectors {
  readonly testKeyBdk: string;
  readonly initialKsn: string;
  readonly initialKey: string;
  readonly clearPinBlock: string;
  readonly message: string;
  readonly rows: readonly Row[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/dukpt-tdes.json', import.meta.url), 'utf8'),
) as Vectors;
const bdk = bytes(vectors.testKeyBdk);
const message = Buffer.from(vectors.message, 'latin1');

describe('TDES DUKPT, published vectors', () => {
  test('the initial key, whatever the counter says', () => {
    assert.equal(hex(initialKey(bdk, bytes(vectors.initialKsn))), vectors.initialKey);
    assert.equal(hex(initialKey(bdk, bytes('FFFF9876543210E00015'))), vectors.initialKey);
  });

  test('all rows are there', () => {
    assert.equal(vectors.rows.length, 34);
    assert.equal(vectors.rows.filter((row) => row.requestMac !== undefined).length, 5);
  });

  for (const row of vectors.rows) {
    test(`${row.ksn}: transaction key and PIN block`, () => {
      const ksn = bytes(row.ksn);
      assert.equal(hex(transactionKey(bdk, ksn)), row.transactionKey);
      assert.equal(hex(encryptPinBlock(bdk, ksn, bytes(vectors.clearPinBlock))), row.encryptedPinBlock);
    });
    if (row.dataRequestCiphertext === undefined) continue;
    test(`${row.ksn}: data and MAC`, () => {
      const ksn = bytes(row.ksn);
      const clear = Buffer.concat([message, Buffer.alloc(7)]);
      assert.equal(hex(encryptData(bdk, ksn, clear)), row.dataRequestCiphertext);
      assert.deepEqual(decryptData(bdk, ksn, bytes(row.dataRequestCiphertext ?? '')), clear);
      assert.equal(hex(messageMac(bdk, ksn, 'request', message)), row.requestMac);
      assert.equal(hex(messageMac(bdk, ksn, 'response', message)), row.responseMac);
    });
  }
});

describe('the counter', () => {
  for (const sequence of ['initial', 'rollover'] as const) {
    test(`counts as the published ${sequence} sequence does`, () => {
      const ksns = vectors.rows.filter((row) => row.sequence === sequence).map((row) => row.ksn);
      for (const [index, ksn] of ksns.slice(1).entries()) assert.equal(hex(nextKsn(bytes(ksns[index] ?? ''))), ksn);
    });
  }

  test('starts at one', () => {
    assert.equal(hex(nextKsn(bytes(vectors.initialKsn))), 'FFFF9876543210E00001');
  });

  test('keeps leading zeros of the serial number', () => {
    assert.equal(hex(nextKsn(bytes('00009876543210E00001'))), '00009876543210E00002');
  });

  test('ends: no key is ever used twice', () => {
    assert.throws(() => nextKsn(bytes('FFFF9876543210FFF800')), RangeError);
  });
});

describe('what no device does is refused', () => {
  test('the initial key serial number as a transaction', () => {
    assert.throws(() => transactionKey(bdk, bytes(vectors.initialKsn)), RangeError);
  });
  test('a counter with eleven one bits', () => {
    assert.throws(() => transactionKey(bdk, bytes('FFFF9876543210EFFE00')), RangeError);
  });
  test('a key serial number of 8 bytes', () => {
    assert.throws(() => transactionKey(bdk, bytes('9876543210E00001')), RangeError);
  });
  test('a key of 8 bytes', () => {
    assert.throws(() => initialKey(bdk.subarray(0, 8), bytes(vectors.initialKsn)), RangeError);
  });
  test('a PIN block of 16 bytes', () => {
    assert.throws(() => encryptPinBlock(bdk, bytes('FFFF9876543210E00001'), Buffer.alloc(16)), RangeError);
  });
  test('data that is not whole blocks', () => {
    assert.throws(() => encryptData(bdk, bytes('FFFF9876543210E00001'), Buffer.alloc(9)), RangeError);
  });
});

function bytes(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function hex(value: Buffer): string {
  return value.toString('hex').toUpperCase();
}
