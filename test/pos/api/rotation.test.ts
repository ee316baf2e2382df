import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { routes } from '../../../src/pos/api/routes.ts';
import { Client, type TillKey } from '../../../src/pos/client/client.ts';
import type { CloudAnswer, CloudCall } from '../../../src/payment/contracts/cloud-link.ts';
import { cloud, type Fields, paired } from './cloud-stage.ts';
import type { Json } from './served.ts';

const target = '/sp/v1/pairing/rotate';
const other = { posId: 'POS-2', keyId: 'k2', key: '43'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };
const posPublicKey = `09${'00'.repeat(31)}`;
const half = (posId = paired.posId) => JSON.stringify({ posId, posPublicKey, posNonce: '55'.repeat(32) });

async function staged(t: TestContext) {
  const stage = await cloud(t);
  // The tills' clock is the terminal's.
  t.mock.timers.enable({ apis: ['Date'], now: stage.clock.now() });
  await stage.keys.put(other);
  const onDisk = () => readFile(path.join(stage.dir, 'pairings.json'), 'utf8');
  /** A till behind the broker: `brings` says what the broker does with a call, and with its answer. */
  const till = (key: TillKey, brings: Broker = (call) => stage.calls.answer(call)) =>
    new Client({ url: 'https://t-1.poid', key, fetch: fetchThrough(brings) });
  const pass = async (ms: number) => {
    await stage.clock.advance(ms);
    t.mock.timers.setTime(stage.clock.now().getTime());
  };
  return { ...stage, onDisk, pass, till };
}

type Broker = (call: CloudCall) => Promise<CloudAnswer>;

function fetchThrough(brings: Broker): typeof fetch {
  return async (url, { method = 'GET', headers, body } = {}) => {
    const fields = Object.fromEntries(new Headers(headers));
    const text = typeof body === 'string' ? body : '';
    const answer = await brings({
      answerTopic: 'answer/1',
      method,
      target: new URL(url instanceof Request ? url.url : url).pathname,
      fields,
      body: Buffer.from(text),
    });
    return new Response(answer.body, { status: answer.status, headers: answer.fields });
  };
}

const works = (client: Client) =>
  client.call('GET', '/sp/v1/status').then(
    () => true,
    (error: Error) => (assert.match(error.message, /not signed: 401/), false),
  );

test('a call for a new key that the till has not signed now, for this terminal and itself, changes nothing', async (t) => {
  const { ask, nowS, onDisk, pass } = await staged(t);
  const before = await onDisk();
  const replayed = {
    createdS: nowS(),
    more: `;expires=${nowS() + 60};nonce="nonce-sent-twice-1";keyid="k1";tag="poid"`,
  };
  const cases: Readonly<Record<string, readonly [status: number, fields: Fields]>> = {
    unsigned: [401, { fields: {} }],
    'without expires': [401, { more: ';nonce="nonce-of-a-lan-call";keyid="k1";tag="poid"' }],
    'with a life of more than a minute': [401, { lifeS: 61 }],
    expired: [401, { createdS: nowS() - 20, lifeS: 10 }],
    'older than a minute': [401, { createdS: nowS() - 61 }],
    'of a clock that is ahead': [401, { createdS: nowS() + 6 }],
    'for another terminal': [401, { authority: 't-2.poid' }],
    'in the name of this till, with the key of another': [401, { key: other.key }],
    'for this till, by another till': [403, { keyId: other.keyId, key: other.key }],
    'for another till': [403, { body: half(other.posId) }],
    'with a key that is none': [400, { body: half().replace(posPublicKey, '00'.repeat(32)) }],
    'with a field more': [400, { body: half().replace('{', '{"keyId":"mine",') }],
  };
  for (const [what, [status, fields]] of Object.entries(cases)) {
    const answer = await ask({ target, body: half(), ...fields });
    assert.equal(answer.status, status, what);
    assert.equal(answer.json.proof, undefined, what);
    assert.equal(await onDisk(), before, what);
  }
  assert.equal((await ask({ target, body: half(), ...replayed })).status, 200);
  const agreed = await onDisk();
  assert.notEqual(agreed, before);
  const again = await ask({ target, body: half(), ...replayed });
  assert.deepEqual([again.status, again.json.reason, await onDisk()], [401, 'notPaired', agreed]);
  await pass(61_000);
  assert.equal((await ask({ target, body: half(), ...replayed })).status, 401);
  assert.equal(await onDisk(), agreed);
});

test('the shop’s network has no such call', () => {
  assert.equal(Object.hasOwn(routes, target), false);
});

test('an answer that is lost: both keys serve until the new one is used, then that one alone', async (t) => {
  const { keys, till, calls } = await staged(t);
  let lost: Json;
  const losing = till(paired, async (call) => {
    lost = JSON.parse((await calls.answer(call)).body);
    throw new Error('the connection broke');
  });
  await assert.rejects(losing.rotate(paired.posId), /the connection broke/);
  const [old] = await keys.all();
  assert.deepEqual([old?.keyId, old?.following?.map(({ keyId }) => keyId)], ['k1', [lost.keyId]]);
  assert.equal(await works(till(paired)), true);
  const next = await till(paired).rotate(paired.posId);
  // Of the two that were agreed on the till has one, and may take its time.
  assert.equal(await works(till(paired)), true);
  assert.equal(await works(till(next)), true);
  assert.equal(await works(till(paired)), false);
  const nobodys = { keyId: String(lost.keyId), key: '00'.repeat(32) };
  assert.equal(await works(till(nobodys)), false);
  assert.deepEqual(
    (await keys.all()).map(({ keyId, following }) => [keyId, following?.length]),
    [
      [next.keyId, undefined],
      ['k2', undefined],
    ],
  );
});

test('the terminal starts anew in the middle: it knows both keys, and the till needs nothing again', async (t) => {
  const { restarted, pass, till } = await staged(t);
  const next = await till(paired).rotate(paired.posId);
  const first = await restarted();
  await pass(66_000);
  const brings = (calls: typeof first) => (call: CloudCall) => calls.answer(call);
  assert.equal(await works(till(paired, brings(first))), true);
  assert.equal(await works(till(next, brings(first))), true);
  const second = await restarted();
  await pass(66_000);
  assert.equal(await works(till(next, brings(second))), true);
  assert.equal(await works(till(paired, brings(second))), false);
});

test('a call that the broker kept back until the new key was used agrees on nothing', async (t) => {
  const { till, calls, onDisk } = await staged(t);
  let kept: CloudCall | undefined;
  const keeping = till(paired, async (call) => {
    kept = call;
    throw new Error('the connection broke');
  });
  await assert.rejects(keeping.rotate(paired.posId));
  const next = await till(paired).rotate(paired.posId);
  assert.equal(await works(till(next)), true);
  const before = await onDisk();
  assert.equal((await calls.answer(kept!)).status, 401);
  assert.equal(await onDisk(), before);
});

test('a till takes no key that the terminal has not signed', async (t) => {
  const { till, calls } = await staged(t);
  let earlier: CloudAnswer | undefined;
  const listened = till(paired, async (call) => (earlier = await calls.answer(call)));
  await listened.rotate(paired.posId);
  const forged: Readonly<Record<string, readonly [Broker, RegExp]>> = {
    'the answer to an earlier call': [async () => earlier!, /not signed/],
    'a changed key': [
      async (call) => {
        const answer = await calls.answer(call);
        return {
          ...answer,
          body: answer.body.replace(/"terminalPublicKey":"[0-9a-f]{64}"/, `"terminalPublicKey":"${posPublicKey}"`),
        };
      },
      /not signed/,
    ],
    'an answer without a signature': [
      async (call) => ({ ...(await calls.answer(call)), fields: { 'content-type': 'application/json' } }),
      /not signed/,
    ],
  };
  for (const [what, [brings, why]] of Object.entries(forged))
    await assert.rejects(till(paired, brings).rotate(paired.posId), why, what);
  assert.equal(await works(till(paired)), true);
});
