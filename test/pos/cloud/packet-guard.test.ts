import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PacketGuard } from '../../../src/pos/cloud/packet-guard.ts';
import { connack, packet, publish, type, variable } from '../../support/raw-broker.ts';

/** What the guard says of these bytes, cut into such pieces: all pieces that go on, or the fault. */
function pass(guard: PacketGuard, bytes: Buffer, sizes: readonly number[] = [65_536]): Buffer[] | string {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const chunk = bytes.subarray(at, at + (sizes[index % sizes.length] ?? 1));
    for (let within = 0; within < chunk.length; ) {
      const length = guard.next(chunk.subarray(within));
      if (typeof length === 'string') return length;
      pieces.push(chunk.subarray(within, within + length));
      within += length;
    }
    at += chunk.length;
  }
  return pieces;
}

function acceptingGuard(bytesMax = 65_536): PacketGuard {
  const guard = new PacketGuard(bytesMax);
  guard.expect('connect');
  assert.ok(Array.isArray(pass(guard, connack())));
  return guard;
}

test('packets pass one by one up to the limit, and the first above it does not, however the bytes are cut', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 8 });
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lengths, sizes, (all, pieces) => {
      const packets = all.map((length) => packet(0x30, Buffer.alloc(length)));
      const guard = acceptingGuard(16_384);
      const reported = pass(guard, Buffer.concat(packets), pieces);
      assert.equal(
        typeof reported === 'string',
        all.some((length) => length > 16_384),
      );
      if (typeof reported === 'string') return;
      assert.deepEqual(Buffer.concat(reported), Buffer.concat(packets));
      assert.equal(guard.isInside, false);
      // No piece has the end of one packet and the beginning of the next.
      let at = 0;
      const ends = new Set(packets.map((each) => (at += each.length)));
      let from = 0;
      for (const { length } of reported) {
        for (let between = from + 1; between < from + length; between++) assert.ok(!ends.has(between));
        from += length;
      }
    }),
  );
});

test('a length of more than four bytes is none', () => {
  assert.match(
    String(acceptingGuard(1_000_000_000).next(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]))),
    /more than/,
  );
});

test('each answer passes once for what the terminal has sent, and no other does', () => {
  const asked = [
    ['publish', type.puback, 'PUBACK'],
    ['subscribe', type.suback, 'SUBACK'],
    ['unsubscribe', type.unsuback, 'UNSUBACK'],
    ['pingreq', type.pingresp, 'PINGRESP'],
  ] as const;
  for (const [asking, kind, name] of asked) {
    const guard = acceptingGuard();
    const answer = packet(kind << 4);
    assert.equal(pass(guard, answer), `the broker sent ${name} without being asked`);
    const other = acceptingGuard();
    other.expect(asking);
    assert.equal(pass(other, Buffer.concat([answer, answer])), `the broker sent ${name} without being asked`);
  }
});

test('what only a client sends, what belongs to QoS 2, AUTH and a second CONNACK end the connection', () => {
  for (const kind of [0, 1, 2, 5, 6, 7, 8, 10, 12, 15])
    assert.match(String(pass(acceptingGuard(), packet(kind << 4))), /without being asked$/);
  assert.equal(pass(acceptingGuard(), publish({ topic: 'a', qos: 2 })), 'the broker sent a message with QoS 2');
});

test('nothing comes before CONNACK, nor after DISCONNECT', () => {
  const guard = new PacketGuard(1_000);
  guard.expect('connect');
  assert.equal(pass(guard, publish({ topic: 'a' })), 'the broker sent PUBLISH before CONNACK');
  const twice = Buffer.concat([packet(0xe0), packet(0xe0)]);
  assert.equal(pass(acceptingGuard(), twice), 'the broker sent DISCONNECT after DISCONNECT');
});

test('what carries nothing of others is short', () => {
  const guard = acceptingGuard();
  guard.expect('publish');
  assert.match(String(guard.next(Buffer.concat([Buffer.from([0x40]), variable(5_000)]))), /PUBACK of more than 4096/);
  const fresh = new PacketGuard(65_536);
  fresh.expect('connect');
  assert.match(
    String(fresh.next(Buffer.concat([Buffer.from([0x20]), variable(20_000)]))),
    /CONNACK of more than 16384/,
  );
});

test('topic and properties of a PUBLISH are as short as 16 KiB, however the bytes are cut, and its payload is free', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });
  const head = fc.tuple(
    fc.integer({ min: 0, max: 20_000 }),
    fc.integer({ min: 0, max: 20_000 }),
    fc.constantFrom(0, 1),
  );
  fc.assert(
    fc.property(head, sizes, ([topicBytes, propertyBytes, qos], pieces) => {
      const message = publish({
        topic: 'a'.repeat(topicBytes),
        qos: qos === 0 ? 0 : 1,
        properties: Buffer.alloc(propertyBytes, 0x26),
        payload: Buffer.alloc(20_000, 0x26),
      });
      const reported = pass(acceptingGuard(), message, pieces);
      if (topicBytes + propertyBytes <= 16_384) assert.ok(Array.isArray(reported));
      else assert.match(String(reported), /topic and properties are too long/);
    }),
  );
});
