import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { RequestAuthenticator } from '../../src/pairing/request-authenticator.ts';
import { nonce, staged } from './signed-calls.ts';

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
