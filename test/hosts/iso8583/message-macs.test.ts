import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { computeMac } from '../../../src/codecs/iso8583/mac.ts';
import { dialects } from '../../../src/hosts/iso8583/dialect.ts';
import { fixedKeys } from '../../../src/hosts/iso8583/mac-keys.ts';
import { type MacSettings, MessageMacs } from '../../../src/hosts/iso8583/message-macs.ts';

const { spec } = dialects.EDC;
const key = '0123456789ABCDEFFEDCBA9876543210';
const usual: MacSettings = {
  algorithm: 'iso9797-3',
  padding: 1,
  key: { fixed: key },
  field: 64,
  bytes: 8,
  over: 'message',
};
const sale = { mti: '0200', fields: { 3: '000000', 4: '000000003000', 11: '000001', 24: '003', 41: '12345678' } };

async function sent(settings: MacSettings, message = sale) {
  const macs = new MessageMacs({ settings, spec, keys: fixedKeys(settings.key.fixed ?? '') });
  const { bytes } = (await macs.pack(message)) ?? assert.fail('a fixed key is always there');
  const isValid = (changed: Uint8Array) => {
    const places = new Map<number, readonly [number, number]>();
    const { mti } = unpack(spec, changed, (field, start, end) => places.set(field, [start, end]));
    return macs.judge(mti, changed, places) !== 'wrong';
  };
  return { bytes, isValid };
}

const changed = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 0x10 : byte));

describe('a code over the whole message', () => {
  test('is the last field, over all before it with its own bit', async () => {
    const { bytes, isValid } = await sent(usual);
    const [before, mac] = [bytes.subarray(0, -8), bytes.subarray(-8)];
    assert.equal((before[9] ?? 0) & 1, 1);
    assert.deepEqual(Buffer.from(mac), Buffer.from(computeMac('iso9797-3', Buffer.from(key, 'hex'), before)));
    assert.equal(isValid(bytes), true);
  });

  test('notices every byte that differs', async () => {
    const { bytes, isValid } = await sent(usual);
    // The amount, the trace number, the terminal, and the code itself.
    for (const at of [15, 20, 24, 30, bytes.length - 1]) assert.equal(isValid(changed(bytes, at)), false, String(at));
  });

  test('in field 128 a second bitmap announces it', async () => {
    const { bytes, isValid } = await sent({ ...usual, field: 128 });
    assert.equal(bytes[2], 0x80 | ((await sent(usual)).bytes[2] ?? 0));
    assert.equal(bytes.length, (await sent(usual)).bytes.length + 8);
    assert.equal(isValid(bytes), true);
    assert.equal(isValid(changed(bytes, bytes.length - 1)), false);
  });

  test('of four bytes: the others are zero, and nothing else is taken', async () => {
    const { bytes, isValid } = await sent({ ...usual, bytes: 4 });
    assert.deepEqual([...bytes.subarray(-4)], [0, 0, 0, 0]);
    assert.deepEqual(bytes.subarray(-8, -4), (await sent(usual)).bytes.subarray(-8, -4));
    assert.equal(isValid(bytes), true);
    assert.equal(isValid(changed(bytes, bytes.length - 1)), false);
  });
});

test('a code over some fields: as they are sent, one after the other, and no others', async () => {
  const { bytes, isValid } = await sent({ ...usual, over: [0, 4, 41] });
  const covered = Buffer.concat([
    Buffer.from('0200', 'hex'),
    Buffer.from('000000003000', 'hex'),
    Buffer.from('12345678'),
  ]);
  const expected = computeMac('iso9797-3', Buffer.from(key, 'hex'), covered);
  assert.deepEqual(Buffer.from(bytes.subarray(-8)), Buffer.from(expected));
  assert.equal(isValid(bytes), true);
  // The amount is covered, the processing code is not.
  assert.equal(isValid(changed(bytes, 15)), false);
  assert.equal(isValid(changed(bytes, 10)), true);
});

test('a message without its code, and one whose type has none', async () => {
  const none = pack(spec, sale);
  assert.equal((await sent(usual)).isValid(none), false);
  const some = await sent({ ...usual, types: ['0200'] });
  assert.equal(some.isValid(none), false);
  const answer = { ...sale, mti: '0210' };
  const free = await sent({ ...usual, types: ['0200'] }, answer);
  assert.deepEqual(free.bytes, pack(spec, answer));
  assert.equal(free.isValid(free.bytes), true);
  const freeMacs = new MessageMacs({ settings: { ...usual, types: ['0200'] }, spec, keys: fixedKeys(key) });
  assert.equal(freeMacs.judge('0210', free.bytes, new Map()), 'none', 'it proves nothing');
  // If such a message has a code, it must be right.
  const sealed = (await sent(usual, answer)).bytes;
  assert.equal(free.isValid(sealed), true);
  assert.equal(free.isValid(changed(sealed, sealed.length - 1)), false);
});
