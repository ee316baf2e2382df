import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { nonce, paired, staged } from './signed-calls.ts';

describe('a signed call', () => {
  test('is let in under its own name', async (t) => {
    const { authenticator, call } = await staged(t);
    const caller = await authenticator.authenticate(call());
    assert.ok('posId' in caller);
    assert.deepEqual([caller.posId, caller.keyId], ['POS-1', 'k1']);
  });

  for (const [what, changed] of [
    ['method', { method: 'PUT' }],
    ['path', { target: '/sp/v1/cancel' }],
    ['query', { target: '/sp/v1/payment?x' }],
    ['scheme', { scheme: 'https' }],
  ] as const) {
    test(`with another ${what} than was signed is refused`, async (t) => {
      const { call, refused } = await staged(t);
      const components = ['@method', '@target-uri', 'content-digest'];
      assert.match((await refused({ ...call({ components }), ...changed })) ?? '', /Signature is wrong/);
      if (what === 'scheme') return;
      assert.match((await refused({ ...call(), ...changed })) ?? '', /Signature is wrong/);
    });
  }

  test('with another body than was signed is refused, and with the digest of another', async (t) => {
    const { call, refused } = await staged(t);
    const body = '{"posId":"POS-1" }';
    const { 'content-digest': digest } = call({ body }).headers;
    assert.match((await refused({ ...call(), body })) ?? '', /Content-Digest is not/);
    const { headers, ...rest } = call();
    const forged = { ...headers, 'content-digest': digest };
    assert.match((await refused({ ...rest, body, headers: forged })) ?? '', /Signature is wrong/);
  });

  const whole = `;nonce="${nonce}";keyid="k1";tag="poid"`;
  for (const [what, components, why] of [
    ['everything, one by one', ['@method', '@authority', '@path', '@query', 'content-digest'], undefined],
    ['the URI', ['@method', '@target-uri', 'content-digest'], undefined],
    ['a field more', ['content-type', '@method', '@target-uri', 'content-digest'], undefined],
    ['nothing', [], /must cover/],
    ['no method', ['@target-uri', 'content-digest'], /must cover/],
    ['no body', ['@method', '@target-uri'], /must cover/],
    ['no query', ['@method', '@authority', '@path', 'content-digest'], /must cover/],
    ['no path', ['@method', '@authority', '@query', 'content-digest'], /must cover/],
    ['no address', ['@method', '@path', '@query', 'content-digest'], /must cover/],
    ['one thing twice', ['@method', '@method', '@target-uri', 'content-digest'], /one signature/],
    ['a field that it does not have', ['x-till', '@method', '@target-uri', 'content-digest'], /does not have/],
    ['its status', ['@status', '@method', '@target-uri', 'content-digest'], /does not have/],
  ] as const) {
    test(`that covers ${what} is ${why ? 'refused' : 'let in'}`, async (t) => {
      const { call, refused } = await staged(t);
      const answer = await refused(call({ components }));
      if (why) assert.match(answer ?? '', why);
      else assert.equal(answer, undefined);
    });
  }

  test('of a GET need not cover a body, for it has none', async (t) => {
    const { call, refused } = await staged(t);
    const components = ['@method', '@target-uri'];
    assert.equal(await refused(call({ method: 'GET', body: '', components })), undefined);
    assert.match((await refused(call({ body: '', components }))) ?? '', /must cover/);
  });

  for (const [what, more, why] of [
    ['all parameters', `;expires=1767225600${whole};alg="hmac-sha256"`, undefined],
    ['no nonce', ';keyid="k1";tag="poid"', /nonce must be/],
    ['a short nonce', whole.replace(nonce, 'x'), /nonce must be/],
    ['a nonce with a space', whole.replace('-', ' '), /nonce must be/],
    ['no key id', `;nonce="${nonce}";tag="poid"`, /keyid is missing/],
    ['a key id that is none', `;nonce="${nonce}";keyid=1;tag="poid"`, /keyid is missing/],
    ['no tag', `;nonce="${nonce}";keyid="k1"`, /tag must be/],
    ['another tag', whole.replace('poid', 'web-bot-auth'), /tag must be/],
    ['another algorithm', `${whole};alg="rsa-v1_5-sha256"`, /alg must be/],
    ['an algorithm that is a token', `${whole};alg=hmac-sha256`, /alg must be/],
    ['an unknown parameter', `${whole};audience="x"`, /parameters/],
    ['a parameter twice', `${whole};tag="poid"`, /one signature/],
    ['an end that is over', `${whole};expires=1767225599`, /expires is over/],
    ['an end that is none', `${whole};expires="later"`, /expires must be/],
    ['a time that is none', `.5${whole}`, /created must be/],
  ] as const) {
    test(`with ${what} is ${why ? 'refused' : 'let in'}`, async (t) => {
      const { call, refused } = await staged(t);
      const answer = await refused(call({ more }));
      if (why) assert.match(answer ?? '', why);
      else assert.equal(answer, undefined);
    });
  }

  for (const [what, change, why] of [
    ['time', { 'signature-input': ['1767225600', '1767225601'] }, /Signature is wrong/],
    ['nonce', { 'signature-input': [nonce, 'nonce-0000000001'] }, /Signature is wrong/],
    ['key id', { 'signature-input': ['k1', 'k2'] }, /is not known/],
    ['signature', { signature: [/:.*:/, `:${'A'.repeat(43)}=:`] }, /Signature is wrong/],
    ['short signature', { signature: [/:.*:/, ':AAAA:'] }, /Signature is wrong/],
    ['signature that is text', { signature: [/:.*:/, '"AAAA"'] }, /one signature/],
    ['label', { signature: ['till=', 'tills='] }, /one signature/],
    ['way to write it', { 'signature-input': ['("@method" ', '( "@method" '] }, /one signature/],
    ['component that is a token', { 'signature-input': ['"@method"', 'method'] }, /one signature/],
    ['component of the call before', { 'signature-input': ['"@method"', '"@method";req'] }, /must cover/],
    ['list', { 'signature-input': [/=.*$/, '=1'] }, /one signature/],
    ['rest', { 'signature-input': [/$/, ', other=()'] }, /one signature/],
    ['rest of the signature', { signature: [/$/, ';a=1'] }, /one signature/],
    ['length', { 'signature-input': [/$/, `;x="${'x'.repeat(1_000)}"`] }, /one signature/],
  ] as const satisfies readonly (readonly [string, Record<string, readonly [string | RegExp, string]>, RegExp])[]) {
    test(`with another ${what} is refused`, async (t) => {
      const { call, refused } = await staged(t);
      const { headers, ...rest } = call();
      const [[name, [from, to]] = assert.fail()] = Object.entries(change);
      const changed = { ...headers, [name]: String(headers[name]).replace(from, to) };
      assert.match((await refused({ ...rest, headers: changed })) ?? '', why);
    });
  }

  for (const name of ['signature', 'signature-input']) {
    test(`without ${name} is refused`, async (t) => {
      const { call, refused } = await staged(t);
      assert.match((await refused(call({ headers: { [name]: undefined } }))) ?? '', /missing/);
    });
  }

  test('with the key of another is refused', async (t) => {
    const { call, refused } = await staged(t);
    assert.match((await refused(call({ key: '00'.repeat(32) }))) ?? '', /wrong/);
    assert.match((await refused(call({ key: '00'.repeat(32), keyId: 'k2' }))) ?? '', /is not known/);
  });

  for (const [offset, why] of [
    [-60, undefined],
    [5, undefined],
    [-61, /61 s behind the terminal's clock, which is at 1767225600/],
    [6, /6 s ahead of/],
  ] as const) {
    test(`of ${offset} s: ${why ? 'refused, and told' : 'let in'}`, async (t) => {
      const { call, refused, nowS } = await staged(t);
      const answer = await refused(call({ createdS: nowS() + offset }));
      if (why) assert.match(answer ?? '', why);
      else assert.equal(answer, undefined);
    });
  }
});

describe('a call that was made before', () => {
  test('is refused, as long as its time would be right and after', async (t) => {
    const { call, refused, clock, nowS } = await staged(t);
    const first = call({ createdS: nowS() + 5 });
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
      const before = call({ createdS: nowS() + offset, nonce: `nonce-${offset}-00000000000` });
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

  for (const [what, heldMs, backMs] of [
    ['in one step', 68_000, [45_000]],
    ['in two', 68_000, [20_000, 30_000]],
    ['by more than a call lasts', 90_000, [80_000]],
  ] as const) {
    test(`is not young again where it was held and the clock is set back ${what}`, async (t) => {
      const { call, refused, clock, nowS } = await staged(t);
      const expiring = `;expires=${nowS() + 30};nonce="another-nonce-00";keyid="k1";tag="poid"`;
      const held = [call(), call({ more: expiring })];
      await clock.advance(heldMs);
      assert.match((await refused(call({ createdS: nowS() - 61 }))) ?? '', /61 s behind/);
      for (const ms of backMs) clock.jump(-ms);
      for (const each of held) assert.match((await refused(each)) ?? '', /behind|before the clock was set back|over/);
      assert.equal(await refused(call({ nonce: 'another-nonce-01' })), undefined);
      assert.equal(await refused(call({ nonce: 'another-nonce-02', createdS: nowS() - 5 })), undefined);
      await clock.advance(65_000);
      assert.equal(await refused(call({ nonce: 'another-nonce-03', createdS: nowS() - 59 })), undefined);
    });
  }
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

test('a start without readable keys lets nobody in, and once there are some, nothing again that was signed before', async (t) => {
  const { dir, keys, clock, call, refused } = await staged(t);
  await writeFile(path.join(dir, 'pairings.json'), '[{"posId":"POS-1"}]');
  const started = RequestAuthenticator.openUnread(keys, clock);
  await assert.rejects(started.authenticate(call()), /holds no valid keys/);
  await writeFile(path.join(dir, 'pairings.json'), JSON.stringify([paired]));
  assert.match((await refused(call(), started)) ?? '', /may have been made before the terminal was started/);
  await clock.advance(6_000);
  assert.equal(await refused(call(), started), undefined);
});
