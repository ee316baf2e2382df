import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyFrame, encodeFrame, FrameDecoder } from '../../../src/codecs/iso8583/frame.ts';
import { binary } from '../../../src/codecs/iso8583/encoding.ts';
import { spec1987 } from '../../../src/codecs/iso8583/fields-1987.ts';
import { fixedLength } from '../../../src/codecs/iso8583/length.ts';
import { field, pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { wireSchema } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { framingOf } from '../../../src/hosts/iso8583/wire.ts';

/** The shortest message in ASCII: twenty bytes. */
const message = Buffer.from('08000000000000000000', 'latin1');

/** Framings of jPOS (package channel) and moov-io/iso8583 (network), by name, with header and trailer. */
const framings: readonly [name: string, framing: object, before: string, behind: string][] = [
  ['two bytes', { length: 'binary2' }, '0014', ''],
  ['ASCIIChannel', { length: 'ascii4' }, Buffer.from('0020').toString('hex'), ''],
  ['BCDChannel', { length: 'bcd4' }, '0020', ''],
  ['HEXChannel', { length: 'hex4' }, Buffer.from('0014').toString('hex'), ''],
  ['VAPChannel', { length: 'binary2', after: '0000' }, '00140000', ''],
  ['GICCChannel', { length: 'binary2', before: '0000' }, '00000014', ''],
  ['CMFChannel', { length: 'binary3' }, '000014', ''],
  ['AmexChannel, which counts itself', { length: 'binary2', countsItself: true }, '0016', ''],
  ['BASE24TCPChannel, with a trailer', { length: 'binary2', trailer: '03' }, '0015', '03'],
  ['a header before each message', { length: 'binary2', header: 'C9E2D6' }, '0017C9E2D6', ''],
];

for (const [name, framing, before, behind] of framings) {
  test(`${name}: written, and read however it is split`, () => {
    const form = framingOf(wireSchema.parse({ framing, packing: 'ascii', bitmap: 'hex' }));
    const short = { ...form, messageBytesMin: message.length };
    const frame = Buffer.from(encodeFrame({ tpdu: new Uint8Array(0), message }, short));
    assert.equal(frame.toString('hex').toUpperCase(), `${before}${message.toString('hex')}${behind}`.toUpperCase());
    const stream = Buffer.concat([frame, emptyFrame(short), frame]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const decoder = new FrameDecoder({ framing: short });
      const all = [stream.subarray(0, cut), stream.subarray(cut)].flatMap((part) => decoder.push(part).frames);
      const read = all.map((each) => Buffer.from(each.message).toString());
      assert.deepEqual([read, decoder.keepAlives], [[message.toString(), message.toString()], 1], `cut at ${cut}`);
    }
  });
}

test('a length that is no number, and a trailer that is another, end the stream', () => {
  const ascii = framingOf(wireSchema.parse({ framing: { length: 'ascii4' }, packing: 'ascii' }));
  assert.equal(new FrameDecoder({ framing: ascii }).push(Buffer.from('00x0')).fault?.code, 'too-short');
  const base24 = framingOf(wireSchema.parse({ framing: { length: 'binary2', trailer: '03' }, packing: 'ascii' }));
  const frame = Buffer.concat([Buffer.from('0015', 'hex'), message, Buffer.from('04', 'hex')]);
  assert.equal(new FrameDecoder({ framing: base24 }).push(frame).fault?.code, 'bad-padding');
});

test('a MAC is the last field, over all bytes before it with its bit set', () => {
  const spec = spec1987('ascii');
  const fields: typeof spec.fields = { ...spec.fields, 128: field(binary, fixedLength(8)) };
  const seen: Uint8Array[] = [];
  const compute = (bytes: Uint8Array) => {
    seen.push(bytes);
    return Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  };
  const whole: typeof spec = { ...spec, fields };
  const packed = pack(whole, { mti: '0200', fields: { 3: '000000' } }, { field: 128, compute });
  assert.deepEqual(unpack(whole, packed).fields, { 3: '000000', 128: compute(new Uint8Array(0)) });
  assert.deepEqual(Buffer.from(seen[0] ?? []), Buffer.from(packed.subarray(0, -8)));
});
