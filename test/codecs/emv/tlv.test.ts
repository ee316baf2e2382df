import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeTlv,
  isConstructed,
  parseTlv,
  TlvError,
  tlvMap,
  walkTlv,
  type TlvErrorCode,
} from '../../../src/codecs/emv/tlv.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const text = (value: Uint8Array) => Buffer.from(value).toString('hex').toUpperCase();
const flat = (hex: string) => parseTlv(bytes(hex)).map(({ tag, value }) => [tag, text(value)]);

function refuses(hex: string, code: TlvErrorCode, offset: number, parse: (data: Uint8Array) => unknown = parseTlv) {
  assert.throws(
    () => parse(bytes(hex)),
    (error) => {
      assert.ok(error instanceof TlvError);
      assert.deepEqual([error.code, error.offset], [code, offset]);
      return true;
    },
  );
}

test('tags of one to four bytes, short and long lengths', () => {
  assert.deepEqual(flat('9A03260812'), [['9A', '260812']]);
  assert.deepEqual(flat('9F2701 80 82021800 DFEE120102'), [
    ['9F27', '80'],
    ['82', '1800'],
    ['DFEE12', '02'],
  ]);
  assert.deepEqual(flat('DF818201 01AA'), [['DF818201', 'AA']]);
  assert.deepEqual(flat('5000'), [['50', '']]);
  assert.deepEqual(flat(`50 81 80 ${'41'.repeat(128)}`), [['50', '41'.repeat(128)]]);
  assert.deepEqual(flat(`50 82 0100 ${'41'.repeat(256)}`), [['50', '41'.repeat(256)]]);
  assert.deepEqual(flat('50 83 000001 41'), [['50', '41']]);
});

test('an issuer’s answer in a container of containers, as published', () => {
  // MagTek eDynamo, extended command 0303 (manualslib 2079776, p.104): the whole object and two bytes to whole blocks of 8.
  const data = 'F92EDFDF540A00000000000000000000DFDF550182DFDF250F423335453243443038303131364141FA0670048A023030 0000';
  const found = [...walkTlv(bytes(data))].map(({ tag }) => tag);
  assert.deepEqual(found, ['F9', 'DFDF54', 'DFDF55', 'DFDF25', 'FA', '70', '8A']);
});

test('zero bytes between objects mean nothing', () => {
  assert.deepEqual(flat('00 9C0100 0000 9A03260812 00'), [
    ['9C', '00'],
    ['9A', '260812'],
  ]);
});

test('what breaks a rule is refused, and where', () => {
  refuses('9A', 'truncated', 1);
  refuses('9C0100 9F', 'truncated', 3);
  refuses('9A0326', 'truncated', 2);
  refuses('9A82', 'truncated', 1);
  refuses('9A80 0000', 'indefinite-length', 1);
  refuses('9A84 00000001 00', 'bad-length', 1);
  refuses('9A83 010000', 'too-large', 5);
  refuses('9F80 0100', 'bad-tag', 0);
  refuses('9F8182838401 00', 'bad-tag', 0);
  refuses('9C0100'.repeat(513), 'too-many', 512 * 3);
  refuses('9C0100 9C0101', 'duplicate', 3, tlvMap);
});

test('every truncation of a message is refused', () => {
  const whole = bytes('9F26 08 7A788EA6B8A3E733 71 09 9F18 04 01020304 86 00 9F27 01 80');
  const boundaries = new Set([0, 11, 22]);
  let refused = 0;
  for (let length = 0; length < whole.length; length++) {
    if (boundaries.has(length)) continue;
    assert.throws(() => [...walkTlv(whole.subarray(0, length))], TlvError, `length ${length}`);
    refused++;
  }
  assert.ok(refused > 20);
});

test('constructed objects are walked depth first, with offsets from the outermost start', () => {
  const hex = '9C 01 00 71 0A 9F18 04 01020304 86 01 AA 50 00';
  const found = [...walkTlv(bytes(hex))].map(({ tag, depth, offset }) => [tag, depth, offset]);
  assert.deepEqual(found, [
    ['9C', 0, 0],
    ['71', 0, 3],
    ['9F18', 1, 5],
    ['86', 1, 12],
    ['50', 0, 15],
  ]);
  refuses('9C0100 71 04 9F180401', 'truncated', 8, (data) => [...walkTlv(data)]);
});

test('depth is limited', () => {
  let nested = bytes('9C0100');
  for (let depth = 0; depth < 7; depth++) nested = Uint8Array.from(encodeTlv([['E1', nested]]));
  assert.equal([...walkTlv(nested)].length, 8);
  nested = Uint8Array.from(encodeTlv([['E1', nested]]));
  assert.throws(
    () => [...walkTlv(nested)],
    (error) => error instanceof TlvError && error.code === 'too-deep',
  );
});

test('encodes what it parses, with the shortest lengths', () => {
  const objects: [string, Uint8Array][] = [
    ['9F26', bytes('7A788EA6B8A3E733')],
    ['50', new Uint8Array(127)],
    ['9F10', new Uint8Array(128)],
    ['DFEE12', new Uint8Array(256)],
    ['91', new Uint8Array()],
  ];
  const encoded = encodeTlv(objects);
  assert.equal(encoded.length, 3 + 8 + (2 + 127) + (2 + 2 + 128) + (3 + 3 + 256) + 2);
  assert.deepEqual([...tlvMap(encoded)], objects);
  assert.deepEqual(encodeTlv(new Map(objects)), encoded);
});

test('does not encode what is no tag', () => {
  for (const tag of ['', '9f26', '9F', '9F2', 'ZZ', '00', '9C00', 'DF8182838401']) {
    assert.throws(
      () => encodeTlv([[tag, new Uint8Array()]]),
      (error) => error instanceof TlvError && error.code === 'bad-tag',
      tag,
    );
  }
  assert.throws(() => encodeTlv([['50', new Uint8Array(0x10000)]]), TlvError);
});

test('map values are copies, and errors say nothing of the data', () => {
  const source = bytes('9F26087A788EA6B8A3E733');
  const map = tlvMap(source);
  source.fill(0);
  assert.equal(text(map.get('9F26') ?? new Uint8Array()), '7A788EA6B8A3E733');
  assert.throws(
    () => tlvMap(bytes('5A08476173')),
    (error) => error instanceof TlvError && !/47/.test(error.message),
  );
});

test('the bit for constructed', () => {
  assert.ok(isConstructed('71') && isConstructed('FF8105') && isConstructed('E1'));
  assert.ok(!isConstructed('9F26') && !isConstructed('DFEE12') && !isConstructed('50'));
});
