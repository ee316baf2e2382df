import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { RequestAuthenticator, type SignedCall } from '../../src/pairing/request-authenticator.ts';
import { PairedKeys } from '../../src/pairing/paired-keys.ts';
import { ManualClock } from '../support/manual-clock.ts';

const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };
const nonce = 'nonce-0000000000';

async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-authenticator-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const clock = new ManualClock();
  const authenticator = await RequestAuthenticator.open(keys, clock);
  await keys.put(paired);
  const nowS = () => clock.now().getTime() / 1000;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (text: string, key = paired.key) =>
    createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
  const call = (fields: Partial<SignedCall> & { time?: number; nonce?: string; key?: string } = {}): SignedCall => {
    const { method = 'POST', target = '/sp/v1/payment', body = '{"posId":"POS-1"}', time = nowS() } = fields;
    const own = fields.nonce ?? nonce;
    const text = ['poid call 1', method, target, String(time), own, sha256(body)].join('\n');
    const headers = {
      'poid-key': 'k1',
      'poid-time': String(time),
      'poid-nonce': own,
      'poid-signature': hmac(text, fields.key),
    };
    return { method, target, body, headers: { ...headers, ...fields.headers } };
  };
  const refused = async (each: SignedCall, by = authenticator) => {
    const answer = await by.authenticate(each);
    return 'refused' in answer ? answer.refused : undefined;
  };
  return { dir, keys, clock, authenticator, nowS, call, refused, hmac, sha256 };
}

describe('a signed call', () => {
  test('is let in under its own name, and its answer is signed', async (t) => {
    const { authenticator, call, hmac, sha256 } = await staged(t);
    const caller = await authenticator.authenticate(call());
    assert.ok('posId' in caller);
    assert.equal(caller.posId, 'POS-1');
    assert.equal(caller.sign(200, '{}'), hmac(['poid answer 1', nonce, '200', sha256('{}')].join('\n')));
  });

  for (const [what, changed] of [
    ['method', { method: 'GET' }],
    ['path', { target: '/sp/v1/cancel' }],
    ['query', { target: '/sp/v1/payment?x' }],
    ['body', { body: '{"posId":"POS-1" }' }],
  ] as const) {
    test(`with another ${what} than was signed is refused`, async (t) => {
      const { call, refused } = await staged(t);
      assert.match((await refused({ ...call(), ...changed })) ?? '', /Signature is wrong/);
    });
  }

  for (const [what, headers, why] of [
    ['time', { 'poid-time': '1767225601' }, /Signature/],
    ['nonce', { 'poid-nonce': 'nonce-0000000001' }, /Signature/],
    ['signature', { 'poid-signature': '00'.repeat(32) }, /Signature/],
    ['short signature', { 'poid-signature': '00' }, /Signature/],
    ['key id', { 'poid-key': 'k2' }, /is not known/],
    ['no key id', { 'poid-key': undefined }, /missing/],
    ['no signature', { 'poid-signature': undefined }, /missing/],
    ['no nonce', { 'poid-nonce': undefined }, /missing/],
    ['no time', { 'poid-time': undefined }, /missing/],
    ['a time that is none', { 'poid-time': '1e9' }, /seconds/],
    ['a nonce that is short', { 'poid-nonce': 'x' }, /Nonce must/],
    ['a nonce with a line feed', { 'poid-nonce': 'nonce-000000000\n' }, /Nonce must/],
  ] as const) {
    test(`with ${what} of another is refused`, async (t) => {
      const { call, refused } = await staged(t);
      const { headers: signed, ...rest } = call();
      assert.match((await refused({ ...rest, headers: { ...signed, ...headers } })) ?? '', why);
    });
  }

  test('with the key of another is refused', async (t) => {
    const { call, refused } = await staged(t);
    assert.match((await refused(call({ key: '00'.repeat(32) }))) ?? '', /wrong/);
    assert.match((await refused(call({ key: '00'.repeat(32), headers: { 'poid-key': 'k2' } }))) ?? '', /is not known/);
  });

  for (const [offset, why] of [
    [-60, undefined],
    [5, undefined],
    [-61, /61 s behind the terminal's clock, which is at 1767225600/],
    [6, /6 s ahead of/],
  ] as const) {
    test(`of ${offset} s: ${why ? 'refused, and told' : 'let in'}`, async (t) => {
      const { call, refused, nowS } = await staged(t);
      const answer = await refused(call({ time: nowS() + offset }));
      if (why) assert.match(answer ?? '', why);
      else assert.equal(answer, undefined);
    });
  }
});

describe('a call that was made before', () => {
  test('is refused, as long as its time would be right and after', async (t) => {
    const { call, refused, clock, nowS } = await staged(t);
    const first = call({ time: nowS() + 5 });
    assert.equal(await refused(first), undefined);
    assert.match((await refused(first)) ?? '', /made before/);
    await clock.advance(65_000);
    assert.match((await refused(first)) ?? '', /made before/);
    await clock.advance(1_000);
    assert.match((await refused(first)) ?? '', /behind/);
  });

  test('two at once: one of them is let in', async (t) => {
    const { call, refused } = await staged(t);
    const both = await Promise.all([refused(call()), refused(call())]);
    assert.equal(both.filter((each) => each === undefined).length, 1);
  });

  test('a wrong signature does not use a nonce up', async (t) => {
    const { call, refused } = await staged(t);
    await refused({ ...call(), body: 'x' });
    assert.equal(await refused(call()), undefined);
  });

  test('is refused after a restart, whenever it was signed', async (t) => {
    const { call, refused, clock, keys, nowS } = await staged(t);
    for (const offset of [-60, 0, 5]) {
      const before = call({ time: nowS() + offset, nonce: `nonce-${offset}-00000000000` });
      assert.equal(await refused(before), undefined);
      const restarted = await RequestAuthenticator.open(keys, clock);
      assert.match((await refused(before, restarted)) ?? '', /sign it again/);
    }
    const restarted = await RequestAuthenticator.open(keys, clock);
    await clock.advance(6_000);
    assert.equal(await refused(call(), restarted), undefined);
  });

  test('is refused when the clock was set back meanwhile', async (t) => {
    const { call, refused, clock } = await staged(t);
    const first = call();
    assert.equal(await refused(first), undefined);
    await clock.advance(3_600_000);
    assert.equal(await refused(call({ nonce: 'another-nonce-00' })), undefined);
    clock.jump(-3_600_000);
    assert.match((await refused(first)) ?? '', /before/);
    assert.equal(await refused(call({ nonce: 'another-nonce-01' })), undefined);
  });
});

describe('a clock that ran ahead and is set right', () => {
  const dayMs = 86_400_000;

  test('keeps no POS out that was paired before the start: a minute after the start at most', async (t) => {
    const { call, refused, clock, keys } = await staged(t);
    clock.jump(dayMs);
    const started = await RequestAuthenticator.open(keys, clock);
    clock.jump(-dayMs);
    assert.match((await refused(call(), started)) ?? '', /sign it again in some seconds/);
    await clock.advance(65_000);
    assert.equal(await refused(call(), started), undefined);
  });

  test('keeps nobody out that it let in meanwhile', async (t) => {
    const { call, refused, clock } = await staged(t);
    clock.jump(dayMs);
    assert.equal(await refused(call()), undefined);
    await clock.advance(61_000);
    assert.equal(await refused(call({ nonce: 'another-nonce-00' })), undefined);
    clock.jump(-dayMs);
    assert.equal(await refused(call({ nonce: 'another-nonce-01' })), undefined);
  });
});

test('20,000 calls within a minute are the most; a minute later there is place again', async (t) => {
  const { call, refused, clock } = await staged(t);
  for (let at = 0; at < 20_000; at++)
    assert.equal(await refused(call({ nonce: `nonce-${String(at).padStart(10, '0')}` })), undefined);
  const next = () => refused(call({ nonce: 'another-nonce-00' }));
  assert.match((await next()) ?? '', /too many calls/);
  await clock.advance(66_000);
  assert.equal(await next(), undefined);
});

test('a key that is revoked is refused at once', async (t) => {
  const { call, refused, keys } = await staged(t);
  assert.equal(await refused(call()), undefined);
  await keys.remove('POS-1');
  assert.match((await refused(call({ nonce: 'another-nonce-00' }))) ?? '', /is not known/);
});

test('keys that can’t be read stop the start, and let nobody in', async (t) => {
  const { dir, keys, clock, authenticator, call } = await staged(t);
  await writeFile(path.join(dir, 'pairings.json'), '[{"posId":"POS-1"}]');
  await assert.rejects(RequestAuthenticator.open(keys, clock), /pairings\.json holds no valid keys/);
  await assert.rejects(authenticator.authenticate(call()), /holds no valid keys/);
});
