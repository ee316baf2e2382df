import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ascii, binary, bcd, leftZero, rightZero, MessageWriter } from '../../../src/codecs/iso8583/encoding.ts';
import { fixedLength, ll, lll } from '../../../src/codecs/iso8583/length.ts';
import {
  field,
  type FieldTable,
  type FieldValues,
  type MessageSpec,
  pack,
  unpack,
} from '../../../src/codecs/iso8583/message.ts';
import { Iso8583Error } from '../../../src/codecs/iso8583/iso8583-error.ts';
import { terminal1987 } from '../../../src/codecs/iso8583/fields-1987.ts';

const bytes = (...hex: string[]) => Uint8Array.from(Buffer.from(hex.join(''), 'hex'));
const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex').toUpperCase();

interface Refusal {
  what: string;
  hex: string[];
  code: string;
  field: number;
  offset: number;
}

const refusals: Refusal[] = [
  {
    what: 'a letter in the message type',
    hex: ['02A0', '0000000000000000'],
    code: 'bad-character',
    field: 0,
    offset: 0,
  },
  { what: 'half a message type', hex: ['02'], code: 'truncated', field: 0, offset: 0 },
  { what: 'half a bitmap', hex: ['0200', '20000000'], code: 'truncated', field: 1, offset: 2 },
  {
    what: 'half of a second bitmap',
    hex: ['0200', '8000000000000000', '00000000000000'],
    code: 'truncated',
    field: 1,
    offset: 2,
  },
  {
    what: 'a field without a format',
    hex: ['0200', 'A000000000000000', '8000000000000000', '000000'],
    code: 'unknown-field',
    field: 65,
    offset: 21,
  },
  {
    what: 'a letter in a number',
    hex: ['0200', '2000000000000000', '00A000'],
    code: 'bad-character',
    field: 3,
    offset: 10,
  },
  {
    what: 'a filler nibble of another kind',
    hex: ['0200', '0000010000000000', 'F003'],
    code: 'bad-padding',
    field: 24,
    offset: 10,
  },
  {
    what: 'a right filler of another kind',
    hex: ['0200', '0000000020000000', '031234'],
    code: 'bad-padding',
    field: 35,
    offset: 11,
  },
  {
    what: 'a nibble that no track has',
    hex: ['0200', '0000000020000000', '0412E4'],
    code: 'bad-character',
    field: 35,
    offset: 11,
  },
  {
    what: 'a letter in a length',
    hex: ['0200', '4000000000000000', '1A'],
    code: 'bad-character',
    field: 2,
    offset: 10,
  },
  {
    what: 'a fourth digit in a length',
    hex: ['0200', '0000000000000004', '1006'],
    code: 'bad-padding',
    field: 62,
    offset: 10,
  },
  {
    what: 'a card number of 20 digits',
    hex: ['0200', '4000000000000000', '20', '00'.repeat(10)],
    code: 'too-long',
    field: 2,
    offset: 10,
  },
  { what: 'half a length', hex: ['0200', '0000000000000004', '00'], code: 'truncated', field: 62, offset: 10 },
  {
    what: 'a value shorter than its length',
    hex: ['0200', '0000000000000200', '000311'],
    code: 'truncated',
    field: 55,
    offset: 12,
  },
  {
    what: 'a control character',
    hex: ['0200', '0000000000000004', '000207FF'],
    code: 'bad-character',
    field: 62,
    offset: 12,
  },
  {
    what: 'a digit with its top bit set',
    hex: ['0200', '0000000002000000', 'B0B0'],
    code: 'bad-character',
    field: 39,
    offset: 10,
  },
  {
    what: 'a byte too many',
    hex: ['0200', '2000000000000000', '000000', '00'],
    code: 'trailing-bytes',
    field: 3,
    offset: 13,
  },
];

for (const { what, hex, ...where } of refusals) {
  test(`reading refuses ${what}`, () => {
    assert.throws(() => unpack(terminal1987, bytes(...hex)), { name: 'Iso8583Error', ...where });
  });
}

const pan = '4761739001010119';

test('no refusal tells the value', () => {
  const refused: unknown[] = [];
  const attempts = [
    () => pack(terminal1987, { mti: '0200', fields: { 2: `${pan}x` } }),
    () => pack(terminal1987, { mti: '0200', fields: { 35: `${pan}=2212X` } }),
    () => pack(terminal1987, { mti: '0200', fields: { 3: pan } }),
    () => unpack(terminal1987, bytes('0200', '4000000000000000', '16', '47617390010101AA')),
  ];
  for (const attempt of attempts) {
    try {
      attempt();
    } catch (error) {
      refused.push(error);
    }
  }
  assert.equal(refused.length, attempts.length);
  for (const error of refused) {
    assert.ok(error instanceof Iso8583Error);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /476173|47617390/);
  }
});

function packed(fields: FieldValues<(typeof terminal1987)['fields']>): () => Uint8Array {
  return () => pack(terminal1987, { mti: '0200', fields });
}

test('writing refuses what does not fit', () => {
  assert.throws(packed({ 3: '00000' }), { code: 'wrong-length', field: 3 });
  assert.throws(packed({ 3: '00000A' }), { code: 'bad-character', field: 3 });
  assert.throws(packed({ 4: '-00000003000' }), { code: 'bad-character', field: 4 });
  assert.throws(packed({ 2: '1'.repeat(20) }), { code: 'too-long', field: 2 });
  assert.throws(packed({ 55: new Uint8Array(1000) }), { code: 'too-long', field: 55 });
  assert.throws(packed({ 52: new Uint8Array(7) }), { code: 'wrong-length', field: 52 });
  assert.throws(packed({ 62: 'é' }), { code: 'bad-character', field: 62 });
  assert.throws(() => pack(terminal1987, { mti: '200', fields: {} }), { code: 'wrong-length', field: 0 });
  const foreign: MessageSpec<FieldTable> = terminal1987;
  assert.throws(() => pack(foreign, { mti: '0200', fields: { 65: '1' } }), { code: 'unknown-field', field: 65 });
});

test('an undefined field is an absent field', () => {
  const message = pack(terminal1987, { mti: '0800', fields: { 3: '990000', 11: undefined } });
  assert.equal(hexOf(message), '08002000000000000000990000');
});

test("'=' is written as the separator nibble, odd lengths filled on the right", () => {
  const message = pack(terminal1987, { mti: '0200', fields: { 35: '12345=678' } });
  assert.equal(hexOf(message), ['0200', '0000000020000000', '09', '12345D6780'].join(''));
  assert.deepEqual(unpack(terminal1987, message).fields, { 35: '12345D678' });
});

test('a value that was read does not share the bytes it came from', () => {
  const source = bytes('0200', '0000000000000200', '0002', 'ABCD');
  const { fields } = unpack(terminal1987, source);
  source.fill(0);
  assert.deepEqual(fields[55], bytes('ABCD'));
});

const wide = {
  mti: field(bcd(leftZero), fixedLength(4)),
  fields: {
    2: field(bcd({ side: 'right', nibble: 'F' }), ll(19)),
    3: field(bcd(leftZero), fixedLength(6)),
    64: field(binary, fixedLength(8)),
    66: field(ascii('n'), fixedLength(1)),
    90: field(bcd(leftZero), fixedLength(42)),
    100: field(bcd(rightZero), ll(11)),
    128: field(binary, lll(16)),
  },
};

test('a field above 64 brings the second bitmap, and only such a field', () => {
  const fields = { 2: '123', 3: '920000', 66: '1', 100: '12345', 128: bytes('AA') };
  const message = pack(wide, { mti: '0510', fields });
  const expected = ['0510', 'E000000000000000', '4000000010000001', '03123F', '920000', '31', '05123450', '0001AA'];
  assert.equal(hexOf(message), expected.join(''));
  assert.deepEqual(unpack(wide, message), { mti: '0510', fields });
  assert.equal(hexOf(pack(wide, { mti: '0510', fields: { 3: '920000' } })), '05102000000000000000920000');
});

test('a terminal reads an empty second bitmap, and the fields above 64 that hosts put into answers', () => {
  const empty = bytes('0210', 'A000000000000000', '0000000000000000', '920000');
  assert.deepEqual(unpack(terminal1987, empty), { mti: '0210', fields: { 3: '920000' } });
  // 3 90 95 100 102 103: jPOS packager/iso87binary.xml
  const original = '0200' + '000123' + '0825101530' + '0'.repeat(22);
  const fields = {
    3: '920000',
    90: original,
    95: '0'.repeat(42),
    100: '12345',
    102: 'ACCOUNT 1',
    103: '2',
  };
  const head = ['0210', 'A000000000000000', '0000004216000000', '920000', original].join('');
  const answer = bytes(head, '30'.repeat(42), '05123450', '09', '4143434F554E542031', '01', '32');
  assert.deepEqual(unpack(terminal1987, answer), { mti: '0210', fields });
  assert.equal(hexOf(pack(terminal1987, { mti: '0210', fields })), hexOf(answer));
});

test('an empty second bitmap is read and half of one refused', () => {
  const empty = bytes('0510', 'A000000000000000', '0000000000000000', '920000');
  assert.deepEqual(unpack(wide, empty), { mti: '0510', fields: { 3: '920000' } });
  assert.throws(() => unpack(wide, empty.subarray(0, 17)), { code: 'truncated', field: 1, offset: 2 });
});

test('fields 64 and 65 sit on the two sides of the border', () => {
  const message = bytes('0510', '8000000000000001', '4000000000000000', '1122334455667788', '31');
  assert.deepEqual(unpack(wide, message).fields, { 64: bytes('1122334455667788'), 66: '1' });
  const third = bytes('0510', '8000000000000000', '8000000000000000', '00'.repeat(8));
  assert.throws(() => unpack(wide, third), { code: 'unknown-field', field: 65, offset: 18 });
});

test('a digit of set n in ASCII refuses a space', () => {
  assert.throws(() => pack(wide, { mti: '0510', fields: { 66: ' ' } }), { code: 'bad-character', field: 66 });
});

test('nothing of a message stays in the buffer that it was written in, nor of one that was refused', () => {
  const writer = new MessageWriter();
  const left = () => writer.bytes.findIndex((byte) => byte !== 0);
  field(ascii('n'), ll(19)).write('4761739001010119', writer, 2);
  assert.notEqual(left(), -1);
  writer.wipe();
  assert.equal(left(), -1);
  assert.throws(() => field(ascii('n'), ll(19)).write('476173900101011x', writer, 2), Iso8583Error);
  assert.throws(() => field(bcd(rightZero), ll(19)).write('476173900101011x', writer, 2), Iso8583Error);
  assert.notEqual(left(), -1);
  writer.wipe();
  assert.equal(left(), -1);
  // The bits of a bitmap are added to what is there.
  assert.throws(() => pack(terminal1987, { mti: '0200', fields: { 3: '000000', 4: '1' } }), Iso8583Error);
  assert.equal(hexOf(pack(terminal1987, { mti: '0800', fields: {} })), '08000000000000000000');
});

test('a message that has no end is refused before the buffer is full', () => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, each) => [each + 2, field(ascii('n'), lll(999))]));
  const values = Object.fromEntries(Object.keys(fields).map((number) => [number, '7'.repeat(999)]));
  const spec: MessageSpec<FieldTable> = { mti: terminal1987.mti, fields };
  assert.throws(() => pack(spec, { mti: '0200', fields: values }), { code: 'too-long', field: 18 });
});

test('binary values are read as copies, of one type, from a Buffer too', () => {
  const packed = Buffer.from(pack(terminal1987, { mti: '0200', fields: { 55: bytes('9F0206') } }));
  const { fields } = unpack(terminal1987, packed);
  packed.fill(0);
  assert.deepEqual(fields[55], bytes('9F0206'));
});
