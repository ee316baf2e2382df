import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PacketGuard } from '../../src/cloud/packet-guard.ts';

/** MQTT 5, 1.5.5: seven bits a byte, the lowest first. */
function packet(length: number): Buffer {
  const header = [0x30];
  let left = length;
  do {
    header.push((left % 128) + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

test('packets pass up to the limit, and the first above it does not, however the bytes are cut', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 8 });
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lengths, sizes, (all, pieces) => {
      const guard = new PacketGuard(16_384);
      const admitted = cut(Buffer.concat(all.map(packet)), pieces).every((each) => guard.admits(each));
      assert.equal(
        admitted,
        all.every((length) => length <= 16_384),
      );
    }),
  );
});

test('a length of more than four bytes is none', () => {
  assert.equal(new PacketGuard(1_000_000_000).admits(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])), false);
});
