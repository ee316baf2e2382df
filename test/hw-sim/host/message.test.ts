import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { decodeMessage, encodeMessage, MalformedMessage } from '../../../hw-sim/host/iso8583/message.ts';

/** fixtures/messages/iso8583.json, whole frames: 2 bytes of length and 5 of TPDU stand in front of the message. */
const file = path.join(import.meta.dirname, '../../../fixtures/messages/iso8583.json');
const samples = JSON.parse(await readFile(file, 'utf8')) as { name: string; hex: string }[];

const message = (frame: string) => Buffer.from(frame.slice(14), 'hex');
const packed = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('messages of the terminal dialect', () => {
  it('all samples are there', () => {
    const types = samples.map(({ hex }) => hex.slice(14, 18));
    assert.deepEqual(types, ['0800', '0200', '0210', '0400', '0200', '0500']);
  });

  for (const { name, hex: frame } of samples) {
    it(`${name}: decodes and encodes to the same bytes`, () => {
      const bytes = message(frame);
      assert.equal(bytes.length + 5, Number.parseInt(frame.slice(0, 4), 16));
      assert.deepEqual(encodeMessage(decodeMessage(bytes)), bytes);
    });

    it(`${name}: every truncation is refused`, () => {
      const bytes = message(frame);
      for (let length = 0; length < bytes.length; length++) {
        assert.throws(() => decodeMessage(bytes.subarray(0, length)), MalformedMessage, `${length} bytes`);
      }
    });

    it(`${name}: a byte too many is refused`, () => {
      assert.throws(() => decodeMessage(Buffer.concat([message(frame), Buffer.of(0)])), MalformedMessage);
    });
  }

  it('reads each packing as the field has it', () => {
    const { mti, fields } = decodeMessage(message(samples.find(({ name }) => name === '0200 sale')?.hex ?? ''));
    assert.equal(mti, '0200');
    assert.deepEqual(
      [3, 4, 11, 22, 23, 24, 25, 35, 41, 42, 62].map((field) => fields.get(field)),
      [
        '000000',
        '000000003000',
        '000123',
        '051',
        '001',
        '003',
        '00',
        '4761739001010119D22122011758928889',
        '12345678',
        '123456789012345',
        '000045',
      ],
    );
    assert.equal(fields.get(55)?.slice(0, 22), '9F26087A788EA6B8A3E733');
    assert.equal(fields.size, 12);
  });

  it('packs an odd count of track nibbles to the left and of digits to the right', () => {
    const fields = new Map([
      [2, '378282246310005'],
      [24, '003'],
    ]);
    const bytes = encodeMessage({ mti: '0200', fields });
    assert.deepEqual(bytes, packed('0200 4000010000000000 15 3782822463100050 0003'));
    assert.deepEqual(decodeMessage(bytes).fields, fields);
  });

  const refused = {
    'a letter in the message type': '02A0 0000010000000000 0003',
    'a second bitmap': '0200 8000010000000000 0003',
    'a field that the dialect has not': '0200 0400010000000000 0003',
    'a letter in a number': '0200 0000010000000000 000A',
    'a left pad nibble that is not 0': '0200 0000010000000000 1003',
    'a right pad nibble that is not 0': '0200 4000000000000000 15 3782822463100051',
    'a letter in a length': '0200 4000000000000000 1A 37828224631000',
    'more digits than a card number has': '0200 4000000000000000 20 37828224631000537828',
    'a control character in text': '0200 0000000002000000 301B',
    'more than field 55 holds': '0200 0000000000000200 0256 00'.repeat(256),
  };
  for (const [name, hex] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      assert.throws(() => decodeMessage(packed(hex)), MalformedMessage);
    });
  }

  it('takes the most that a length may be, and no value that its field can not hold', () => {
    const longest = new Map([[55, '9F'.repeat(255)]]);
    assert.deepEqual(decodeMessage(encodeMessage({ mti: '0200', fields: longest })).fields, longest);
    for (const [field, value] of [
      [4, '3000'],
      [24, '00A'],
      [39, '0'],
      [55, '9F'.repeat(256)],
      [55, '9F2'],
      [55, 'zz'],
      [62, 'ä'],
      [65, ''],
    ] as const) {
      assert.throws(() => encodeMessage({ mti: '0200', fields: new Map([[field, value]]) }), MalformedMessage, value);
    }
  });

  it('never tells a value', () => {
    const bytes = packed('0200 4000000000000000 15 3782822463100051');
    assert.throws(
      () => decodeMessage(bytes),
      (error: Error) => error.message === 'field 2: a pad nibble that is not 0',
    );
  });
});
