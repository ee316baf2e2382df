import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FrameDecoder, encodeFrame } from '../../../src/codecs/iso8583/frame.ts';
import { Iso8583Error } from '../../../src/codecs/iso8583/iso8583-error.ts';
import { type Message, pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { terminal1987 } from '../../../src/codecs/iso8583/fields-1987.ts';
import { tpdu } from '../../../src/codecs/iso8583/tpdu.ts';

const samples: readonly { name: string; hex: string; source: string }[] = JSON.parse(
  readFileSync(new URL('../../../fixtures/messages/iso8583.json', import.meta.url), 'utf8'),
);

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const saleChipData =
  '9F26087A788EA6B8A3E7339F2701809F100706011203A0B8009F370452BF45859F3602001C950580000480009A032608259C01009F02060000000030005F2A020344820218009F1A0203449F03060000000000009F3303E0F8C89F34034203009F3501228407A0000000031010';

/** What each sample says, read off its bytes by hand. */
const meanings: Readonly<Record<string, Message<(typeof terminal1987)['fields']>>> = {
  '0800 echo': { mti: '0800', fields: { 3: '990000', 24: '003', 41: '12345678' } },
  '0200 sale': {
    mti: '0200',
    fields: {
      3: '000000',
      4: '000000003000',
      11: '000123',
      22: '051',
      23: '001',
      24: '003',
      25: '00',
      35: '4761739001010119D22122011758928889',
      41: '12345678',
      42: '123456789012345',
      55: bytes(saleChipData),
      62: '000045',
    },
  },
  '0210 approve': {
    mti: '0210',
    fields: {
      3: '000000',
      4: '000000003000',
      11: '000123',
      12: '101530',
      13: '0825',
      24: '003',
      37: '623710000123',
      38: 'A1B2C3',
      39: '00',
      41: '12345678',
      55: bytes('8A02303091089AF514C100000000'),
    },
  },
  '0400 reversal': {
    mti: '0400',
    fields: {
      3: '000000',
      4: '000000003000',
      11: '000123',
      22: '051',
      23: '001',
      24: '003',
      25: '00',
      35: '4761739001010119D22122011758928889',
      41: '12345678',
      42: '123456789012345',
      62: '000045',
    },
  },
  '0200 void': {
    mti: '0200',
    fields: {
      2: '4761739001010119',
      3: '020000',
      4: '000000003000',
      11: '000124',
      12: '101530',
      13: '0825',
      14: '2212',
      22: '051',
      24: '003',
      25: '00',
      37: '623710000123',
      38: 'A1B2C3',
      41: '12345678',
      42: '123456789012345',
      62: '000045',
    },
  },
  '0500 settle': {
    mti: '0500',
    fields: {
      3: '920000',
      11: '000125',
      24: '003',
      41: '12345678',
      42: '123456789012345',
      60: '000001',
      63: `002000000006000001000000001000${'0'.repeat(60)}`,
    },
  },
};

test('every sample has a meaning to be compared with', () => {
  assert.deepEqual(samples.map(({ name }) => name).sort(), Object.keys(meanings).sort());
});

for (const { name, hex } of samples) {
  const frame = bytes(hex);
  const body = frame.subarray(7);
  const meaning = meanings[name] ?? { mti: '', fields: {} };

  test(`${name}: reads as what it means`, () => {
    assert.deepEqual(unpack(terminal1987, body), meaning);
  });

  test(`${name}: is written byte for byte`, () => {
    const message = pack(terminal1987, meaning);
    const written = encodeFrame({ tpdu: tpdu('6000030000'), message });
    assert.equal(Buffer.from(written).toString('hex').toUpperCase(), hex);
  });

  test(`${name}: every truncation is refused, and one byte more`, () => {
    for (let length = 0; length < body.length; length++) {
      assert.throws(() => unpack(terminal1987, body.subarray(0, length)), Iso8583Error, `${length} bytes`);
    }
    assert.throws(() => unpack(terminal1987, Buffer.concat([body, Uint8Array.of(0)])), { code: 'trailing-bytes' });
  });

  test(`${name}: a truncated frame stays incomplete`, () => {
    for (let length = 0; length < frame.length; length++) {
      assert.deepEqual(new FrameDecoder().push(frame.subarray(0, length)), { frames: [] }, `${length} bytes`);
    }
    const whole = new FrameDecoder().push(frame);
    assert.deepEqual(whole, { frames: [{ tpdu: bytes('6000030000'), message: Uint8Array.from(body) }] });
  });
}
