import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { encodeFrame, FrameDecoder } from '../../../src/codecs/iso8583/frame.ts';
import { pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { wireSchema } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { framingOf, wireSpec } from '../../../src/hosts/iso8583/wire.ts';

/** Test messages of other libraries, with the dialect file that decodes each. */
interface Vector {
  readonly name: string;
  readonly dialect: string;
  /** The message type and the field numbers. */
  readonly fields: string;
  readonly hex: string;
}

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8'));

for (const { name, dialect, fields, hex } of fixture('messages/published.json') as readonly Vector[]) {
  describe(`${name}, by ${dialect}`, () => {
    const wire = wireSchema.parse(fixture(dialect));
    const spec = wireSpec(wire);
    const framing = framingOf(wire);
    const whole = Buffer.from(hex, 'hex');
    const message = whole.subarray(framing.header.length);

    test('reads as its fields', () => {
      const read = unpack(spec, message);
      assert.equal([read.mti, ...Object.keys(read.fields)].join(' '), fields);
    });

    test('is written byte for byte', () => {
      assert.equal(
        Buffer.from(pack(spec, unpack(spec, message)))
          .toString('hex')
          .toUpperCase(),
        message.toString('hex').toUpperCase(),
      );
    });

    test('goes through a frame with its header', () => {
      const frame = encodeFrame({ tpdu: new Uint8Array(0), message }, framing);
      assert.ok(Buffer.from(frame).includes(whole));
      assert.deepEqual(
        new FrameDecoder({ framing }).push(frame).frames.map((each) => Buffer.from(each.message)),
        [message],
      );
    });

    test('every truncation is refused, and one byte more', () => {
      for (let length = 0; length < message.length; length++) {
        assert.throws(() => unpack(spec, message.subarray(0, length)), { name: 'Iso8583Error' }, `${length} bytes`);
      }
      assert.throws(() => unpack(spec, Buffer.concat([message, Uint8Array.of(0)])), { code: 'trailing-bytes' });
    });
  });
}
