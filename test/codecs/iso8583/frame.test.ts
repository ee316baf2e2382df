import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, type Frame, FrameDecoder } from '../../../src/codecs/iso8583/frame.ts';
import { tpdu } from '../../../src/codecs/iso8583/tpdu.ts';

const bytes = (...hex: string[]) => Uint8Array.from(Buffer.from(hex.join(''), 'hex'));

const header = '6000030000';
const echo = '0800200000000000000099';
/** 5 bytes of TPDU and 11 of message: 16. */
const frame = bytes('0010', header, echo);
const expected: Frame = { tpdu: bytes(header), message: bytes(echo) };

test('length and TPDU go before the message, in one buffer', () => {
  assert.deepEqual(Buffer.from(encodeFrame({ tpdu: tpdu(header), message: bytes(echo) })), Buffer.from(frame));
});

test('a message over the limit is not framed', () => {
  assert.throws(() => encodeFrame({ tpdu: tpdu(header), message: new Uint8Array(4092) }), { code: 'too-long' });
  assert.equal(encodeFrame({ tpdu: tpdu(header), message: new Uint8Array(4091) }).length, 2 + 4096);
});

test('one byte at a time', () => {
  const decoder = new FrameDecoder();
  const frames = Array.from(frame).flatMap((byte) => [...decoder.push(Uint8Array.of(byte)).frames]);
  assert.deepEqual(frames, [expected]);
});

test('three frames at once, split at every place', () => {
  const three = Buffer.concat([frame, frame, frame]);
  for (let cut = 0; cut <= three.length; cut++) {
    const decoder = new FrameDecoder();
    const frames = [...decoder.push(three.subarray(0, cut)).frames, ...decoder.push(three.subarray(cut)).frames];
    assert.deepEqual(frames, [expected, expected, expected], `cut at ${cut}`);
  }
});

test('a frame does not share the bytes it came from', () => {
  const source = Uint8Array.from(frame);
  const { frames } = new FrameDecoder().push(source);
  source.fill(0);
  assert.deepEqual(frames, [expected]);
});

test('a length that can be no message is a fault: too little, too much', () => {
  for (const [length, code] of [
    ['0001', 'too-short'],
    ['000E', 'too-short'],
    ['1001', 'too-long'],
    ['FFFF', 'too-long'],
  ] as const) {
    assert.equal(new FrameDecoder().push(bytes(length)).fault?.code, code, length);
  }
  assert.equal(new FrameDecoder().push(bytes('000F')).fault, undefined);
  assert.equal(new FrameDecoder().push(bytes('1000')).fault, undefined);
});

test('a frame of length zero is a keep-alive: counted, and skipped wherever it stands', () => {
  const alive = bytes('0000');
  const stream = Buffer.concat([alive, alive, frame, alive, frame, frame, alive]);
  for (let cut = 0; cut <= stream.length; cut++) {
    const decoder = new FrameDecoder();
    const frames = [...decoder.push(stream.subarray(0, cut)).frames, ...decoder.push(stream.subarray(cut)).frames];
    assert.deepEqual([frames, decoder.keepAlives], [[expected, expected, expected], 4], `cut at ${cut}`);
  }
});

test('the limit can be set', () => {
  assert.equal(new FrameDecoder({ contentBytesMax: 15 }).push(frame).fault?.code, 'too-long');
  assert.deepEqual(new FrameDecoder({ contentBytesMax: 16 }).push(frame).frames, [expected]);
});

test('what came before a fault counts, what comes after it does not', () => {
  const decoder = new FrameDecoder();
  const first = decoder.push(Buffer.concat([frame, bytes('0001'), frame]));
  assert.deepEqual(first.frames, [expected]);
  assert.equal(first.fault?.code, 'too-short');
  const second = decoder.push(frame);
  assert.deepEqual(second.frames, []);
  assert.equal(second.fault, first.fault);
});

test('a TPDU is ten hexadecimal digits', () => {
  assert.deepEqual(Buffer.from(tpdu('60000A000b')), Buffer.from(bytes('60000A000B')));
  for (const text of ['', '600003000', '60000300000', '600003000g', ' 600003000']) {
    assert.throws(() => tpdu(text), RangeError, text);
  }
});
