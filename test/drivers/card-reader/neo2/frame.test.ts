import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitSeconds } from '../../../../drivers/card-reader/transaction-request.ts';
import * as commands from '../../../../drivers/card-reader/neo2/commands.ts';
import { crc16, crcOfPart, nextCrc } from '../../../../drivers/card-reader/neo2/crc.ts';
import {
  dataBytesMax,
  encodeFrame,
  FrameDecoder,
  type CrcOrder,
  type Decoded,
} from '../../../../drivers/card-reader/neo2/frame.ts';
import { frames, named } from './fixture-frames.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex');
const kinds = (found: readonly Decoded[]) => found.map(({ kind }) => kind);

const pingAnswer = named('ping answer');
const versionAnswer = named('get main firmware version answer');

test('there are published frames of each kind', () => {
  assert.ok(frames.length >= 25);
  for (const direction of ['command', 'response', 'event']) {
    assert.ok(
      frames.some((frame) => frame.direction === direction),
      direction,
    );
  }
});

for (const frame of frames) {
  test(`published frame decodes and encodes: ${frame.name}`, () => {
    const whole = bytes(frame.hex);
    const [decoded, ...rest] = new FrameDecoder(frame.crc).push(whole);
    assert.deepEqual(rest, []);
    if (frame.direction === 'event') {
      assert.deepEqual(decoded, { kind: 'event', data: whole.slice(5, -2) });
      return;
    }
    assert.deepEqual(decoded, { kind: 'frame', command: whole[10], status: whole[11], data: whole.slice(14, -2) });
    assert.deepEqual(encodeFrame(whole[10] ?? 0, whole[11] ?? 0, whole.slice(14, -2), frame.crc), whole);
    const other: CrcOrder = frame.crc === 'lsb-first' ? 'msb-first' : 'lsb-first';
    assert.deepEqual(kinds(new FrameDecoder(other).push(whole)), ['corrupt']);
  });
}

test('the commands are the published ones', () => {
  assert.deepEqual(commands.ping(), named('ping'));
  assert.deepEqual(commands.version(), named('get version'));
  assert.deepEqual(commands.cancel(), named('cancel transaction'));
  assert.deepEqual(commands.pollOnDemand(), named('set poll mode, poll on demand'));
});

test('the commands for chip, stripe and PIN are those of the fixtures', () => {
  const request = { amount: { minor: 3000n, currency: 'HKD' }, type: 'purchase', timeoutMs: 60_000 } as const;
  assert.deepEqual(
    commands.activate({ ...request, interfaces: ['magstripe', 'chip', 'contactless', 'chip'] }),
    named('activate transaction, contactless, chip and stripe, 30.00 HKD'),
  );
  assert.deepEqual(
    commands.activate({ ...request, interfaces: ['chip'] }),
    named('activate transaction, chip, 30.00 HKD'),
  );
  assert.deepEqual(commands.activate({ ...request, interfaces: [] }), commands.activate(request));
  const issuerData = new Map([
    ['72', bytes('9F180400000002 8606841E000001BB')],
    ['71', bytes('9F180400000001 86068418000001AA')],
    ['91', bytes('1122334455667788 3030')],
    ['8A', bytes('3035')],
    ['9F36', bytes('0001')],
  ]);
  assert.deepEqual(
    commands.applyHostResponse({ kind: 'approved', responseCode: '00', issuerData }),
    named('apply host response, approved, with scripts'),
  );
  assert.deepEqual(
    commands.applyHostResponse({ kind: 'declined', responseCode: '05', issuerData: new Map() }),
    named('apply host response, declined 05'),
  );
  assert.deepEqual(commands.applyHostResponse({ kind: 'unreachable' }), named('apply host response, host unreachable'));
  const amount = { minor: 3000n, currency: 'HKD' } as const;
  assert.deepEqual(commands.enterPin({ amount, timeoutMs: 60_000, again: false }), named('enter PIN, 60 s'));
  assert.deepEqual(
    commands.enterPin({ amount, timeoutMs: 59_001, again: true }),
    named('enter PIN, 60 s, the last one was wrong'),
  );
  assert.deepEqual(commands.cancelPin(), named('cancel PIN'));
});

test('a response code that is none is not sent', () => {
  for (const responseCode of ['', '0', '000', '0\u00e9', '0 ']) {
    assert.throws(
      () => commands.applyHostResponse({ kind: 'approved', responseCode, issuerData: new Map() }),
      RangeError,
    );
  }
});

test('activate transaction: 30.00 HKD, contactless, 60 s', () => {
  const frame = commands.activate({
    amount: { minor: 3000n, currency: 'HKD' },
    type: 'purchase',
    timeoutMs: 59_001,
  });
  const data = '3c 9f0206000000003000 9c0100 5f2a020344 9f0306000000000000 dfef370102'.replaceAll(' ', '');
  assert.equal(hexOf(frame.slice(0, -2)), `5669564f74656368320002400020${data}`);
  assert.equal(frame.at(-2), crc16(frame.slice(0, -2)) & 0xff);
});

test('activate transaction: refund, time-out in range, amount in range', () => {
  const amount = { minor: 999_999_999_999n, currency: 'JPY' } as const;
  const refund = hexOf(commands.activate({ amount, type: 'refund', timeoutMs: 900_000 }).slice(14));
  assert.ok(refund.startsWith('ff9f02069999999999999c01205f2a020392'), refund);
  assert.equal(waitSeconds(1), 1);
  assert.equal(waitSeconds(255_000), 255);
  assert.equal(waitSeconds(0), 1);
  const tooMuch = { minor: 1_000_000_000_000n, currency: 'JPY' } as const;
  assert.throws(() => commands.activate({ amount: tooMuch, type: 'refund', timeoutMs: 1 }), RangeError);
  assert.throws(
    () => commands.activate({ amount: { minor: -1n, currency: 'JPY' }, type: 'refund', timeoutMs: 1 }),
    RangeError,
  );
});

test('the check value of CRC-16/CCITT-FALSE', () => {
  assert.equal(crc16(Buffer.from('123456789')), 0x29b1);
});

test('the CRC of each part is known from the registers around it', () => {
  const stream = Buffer.concat([versionAnswer, pingAnswer, Buffer.alloc(300, 0xa5)]);
  const registers = [0];
  for (const byte of stream) registers.push(nextCrc(registers.at(-1) ?? 0, byte));
  for (let from = 0; from < stream.length; from += 7) {
    for (let to = from; to <= stream.length; to++) {
      const found = crcOfPart(registers[from] ?? 0, registers[to] ?? 0, to - from);
      assert.equal(found, crc16(stream.subarray(from, to)), `${from} to ${to}`);
    }
  }
});

test('byte by byte, coalesced, and split anywhere', () => {
  const event = named('user interface event, burst form');
  const stream = Buffer.concat([pingAnswer, event, versionAnswer, pingAnswer]);
  const whole = new FrameDecoder('msb-first').push(stream);
  assert.deepEqual(kinds(whole), ['frame', 'event', 'frame', 'frame']);
  const decoder = new FrameDecoder('msb-first');
  assert.deepEqual(
    [...stream].flatMap((byte) => decoder.push(Uint8Array.of(byte))),
    whole,
  );
  assert.equal(decoder.unfinished, false);
  for (let cut = 0; cut <= stream.length; cut++) {
    const split = new FrameDecoder('msb-first');
    assert.deepEqual([...split.push(stream.subarray(0, cut)), ...split.push(stream.subarray(cut))], whole);
  }
});

test('garbage before, between and after frames is skipped', () => {
  const garbage = bytes('00 ff 56 69 56 4f 45 00 55 41 56 5669564f74656368 ff');
  const decoder = new FrameDecoder('msb-first');
  const stream = Buffer.concat([garbage, pingAnswer, garbage, versionAnswer]);
  assert.deepEqual(kinds(decoder.push(stream)), ['frame', 'frame']);
  assert.equal(decoder.unfinished, false);
  assert.deepEqual(decoder.push(garbage), []);
  assert.equal(decoder.unfinished, true);
  assert.deepEqual(kinds(decoder.giveUp()), ['corrupt']);
  assert.equal(decoder.unfinished, false);
});

test('any flipped bit: the frame is never taken, the next one is', () => {
  for (let bit = 0; bit < versionAnswer.length * 8; bit++) {
    const flipped = Uint8Array.from(versionAnswer);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const decoder = new FrameDecoder('msb-first');
    const found = [...decoder.push(flipped), ...decoder.push(pingAnswer), ...decoder.giveUp()];
    const taken = found.filter(({ kind }) => kind === 'frame');
    assert.deepEqual(taken, [{ kind: 'frame', command: 0x18, status: 0, data: new Uint8Array() }], `bit ${bit}`);
  }
});

test('every truncation: nothing is taken but the frame that follows', () => {
  for (let length = 1; length < versionAnswer.length; length++) {
    const decoder = new FrameDecoder('msb-first');
    assert.deepEqual(decoder.push(versionAnswer.subarray(0, length)), []);
    assert.equal(decoder.unfinished, true, `length ${length}`);
    const found = [...decoder.push(pingAnswer), ...decoder.giveUp()];
    assert.deepEqual(kinds(found.filter(({ kind }) => kind === 'frame')), ['frame'], `length ${length}`);
  }
});

test('a length that is too long is not waited for', () => {
  const head = bytes('5669564f746563683200 02 00 ffff');
  assert.deepEqual(kinds(new FrameDecoder('msb-first').push(head)), ['corrupt']);
});

test('the longest frame fits, also after garbage and in one chunk', () => {
  const longest = encodeFrame(0x02, 0x00, new Uint8Array(dataBytesMax).fill(0x56), 'msb-first');
  const decoder = new FrameDecoder('msb-first');
  assert.deepEqual(kinds(decoder.push(Buffer.concat([Buffer.alloc(5000, 0x56), longest, longest]))), [
    'frame',
    'frame',
  ]);
  assert.throws(() => encodeFrame(0x02, 0x00, new Uint8Array(dataBytesMax + 1)), RangeError);
});

test('a megabyte of noise leaves nothing behind', () => {
  const decoder = new FrameDecoder('msb-first');
  const noise = Buffer.from('ViVOtech2\0').subarray(0, 9);
  for (let i = 0; i < 100; i++) decoder.push(Buffer.concat(Array.from({ length: 1000 }, () => noise)));
  assert.deepEqual(kinds(decoder.push(pingAnswer)), ['frame']);
});

test('what was handed out is a copy', () => {
  const chunk = Uint8Array.from(versionAnswer);
  const [decoded] = new FrameDecoder('msb-first').push(chunk);
  chunk.fill(0);
  assert.ok(decoded?.kind === 'frame');
  assert.equal(hexOf(decoded.data), 'df62114372616e6556656e64695f312e302e3000');
});
