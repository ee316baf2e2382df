import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framed, FrameReader, MalformedFrame, swapped } from '../../../hw-sim/host/iso8583/frame.ts';

const echo = Buffer.from('001C60000300000800200001000080000099000000033132333435363738', 'hex');

describe('frames', () => {
  it('come out whole, however the bytes arrive', () => {
    const stream = Buffer.concat([echo, echo, echo]);
    for (let size = 1; size <= stream.length; size++) {
      const reader = new FrameReader();
      const messages: string[] = [];
      for (let at = 0; at < stream.length; at += size) {
        for (const { message } of reader.push(stream.subarray(at, at + size))) messages.push(message.toString('hex'));
      }
      assert.deepEqual(messages, Array(3).fill(echo.toString('hex', 7)), `pieces of ${size}`);
      assert.equal(reader.held.length, 0);
    }
  });

  it('hold back what is not whole', () => {
    const reader = new FrameReader();
    assert.deepEqual([...reader.push(echo.subarray(0, 20))], []);
    assert.equal(reader.held.length, 20);
  });

  for (const hex of ['0000', '000E600003000008002000', '1001', 'FFFF', '001C61']) {
    it(`refuses ${hex}`, () => {
      const bytes = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(64)]);
      assert.throws(() => [...new FrameReader().push(bytes)], MalformedFrame);
    });
  }

  it('take the shortest and the longest length', () => {
    for (const length of [15, 4096]) {
      const body = Buffer.concat([Buffer.of(0x60), Buffer.alloc(length - 1)]);
      const bytes = framed(body.subarray(0, 5), body.subarray(5));
      assert.equal(bytes.readUInt16BE(0), length);
      assert.equal([...new FrameReader().push(bytes)].length, 1);
    }
  });

  it('answer with source and destination swapped', () => {
    assert.equal(swapped(Buffer.from('6000031234', 'hex')).toString('hex'), '6012340003');
  });
});
