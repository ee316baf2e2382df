import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openPinBlock, pinOf } from '../../../hw-sim/host/iso8583/pin-block.ts';
import { testBdk } from './terminal.ts';

interface Clear {
  readonly pin: string;
  readonly pan: string;
  readonly block: string;
}
interface Row {
  readonly sequence: string;
  readonly ksn: string;
  readonly encryptedPinBlock?: string;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/crypto/${name}.json`, import.meta.url), 'utf8'));
const { format0 } = read('pin-block') as { format0: readonly Clear[] };
const dukpt = read('dukpt-tdes') as { testKeyBdk: string; rows: readonly Row[] };
const aes = read('dukpt-aes') as { testKeyBdk: string; pin: string; pan: string; rows: readonly Row[] };
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('a clear PIN block of format 0', () => {
  for (const { pin, pan, block } of format0) {
    it(`${block} holds the published PIN`, () => assert.equal(pinOf(bytes(block), pan), pin));
  }

  // knovichikhin/psec, tests/test_pinblock.py: what a decoder of format 0 must refuse.
  const refused: [name: string, block: string][] = [
    ['another format', '241261AAAAEDCBA9'],
    ['the control of format 4', '441261AAAAEDCBA9'],
    ['7 bytes', '041261AAAAEDCB'],
    ['a length of 15', '0F1261AAAAEDCBA9'],
    ['a length of 2', '021261AAAAEDCBA9'],
    ['a wrong filler', '041261AAAAEDCBAA'],
    ['a PIN with a letter', '051261AAAAEDCBA9'],
  ];
  for (const [name, block] of refused) {
    it(`${name} is none`, () => assert.equal(pinOf(bytes(block), '5555555551234567'), undefined));
  }

  it('belongs to one card number, check digit aside', () => {
    const block = bytes('041261AAAAEDCBA9');
    assert.equal(pinOf(block, '5555555551234568'), '1234');
    assert.equal(pinOf(block, '5555555551234577'), undefined);
    assert.equal(pinOf(block, '5555555651234567'), undefined);
  });
});

describe('an encrypted PIN block', () => {
  const rows = dukpt.rows.filter(({ encryptedPinBlock }) => encryptedPinBlock !== undefined);

  it('opens with the key of its serial number, for every published one', () => {
    assert.ok(rows.length > 20);
    for (const { ksn, encryptedPinBlock = '' } of rows) {
      assert.equal(
        openPinBlock({ bdk: bytes(dukpt.testKeyBdk) }, bytes(ksn), bytes(encryptedPinBlock), '4012345678909'),
        '1234',
      );
    }
  });

  it('stays shut under the key of another transaction, or of no device', () => {
    const block = bytes('1B9C1845EB993A7A');
    const open = (ksn: string, of = block): string | undefined =>
      openPinBlock({ bdk: testBdk }, bytes(ksn), of, '4012345678909');
    assert.equal(open('FFFF9876543210E00001'), '1234');
    for (const ksn of ['FFFF9876543210E00002', 'FFFF9876543210E00000', 'FFFF9876543210FFFFFF', 'FFFF9876543210']) {
      assert.equal(open(ksn), undefined, ksn);
    }
    assert.equal(open('FFFF9876543210E00001', Buffer.concat([block, block])), undefined);
  });
});

describe('an encrypted PIN block of format 4', () => {
  const { testKeyBdk, pin, pan, rows } = aes;
  const keys = { bdk: testBdk, aesBdk: bytes(testKeyBdk) };
  const [first] = rows;
  const block = bytes(first?.encryptedPinBlock ?? '');
  const ksn = bytes(first?.ksn ?? '');

  it('opens with the key of its serial number, for every published one', () => {
    const published = rows.filter(({ encryptedPinBlock }) => encryptedPinBlock !== undefined);
    assert.equal(published.length, 3);
    for (const row of published) {
      assert.equal(openPinBlock(keys, bytes(row.ksn), bytes(row.encryptedPinBlock ?? ''), pan), pin);
    }
  });

  it('stays shut under another key, for another card number, cut, and with any bit flipped', () => {
    assert.equal(openPinBlock(keys, ksn, block, pan), pin);
    assert.equal(openPinBlock(keys, bytes('123456789012345600000002'), block, pan), undefined);
    assert.equal(openPinBlock({ bdk: testBdk }, ksn, block, pan), undefined);
    assert.equal(openPinBlock(keys, ksn, block, '4111111111111112'), undefined);
    assert.equal(openPinBlock(keys, ksn, block.subarray(8), pan), undefined);
    for (let bit = 0; bit < 128; bit++) {
      const flipped = Buffer.from(block);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assert.equal(openPinBlock(keys, ksn, flipped, pan), undefined, `bit ${bit}`);
    }
  });
});
