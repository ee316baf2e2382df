import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloud, type Fields, paired } from './cloud-stage.ts';
import { sale } from './served.ts';

test('a signed call reaches the handler with the moment after which it begins nothing', async (t) => {
  const { ask, terminal, nowS } = await cloud(t);
  const { status, fields } = await ask({ lifeS: 30 });
  // The script's terminal is not ready; the call was understood.
  assert.equal(status, 503);
  assert.deepEqual(
    terminal.paid.map(({ expiresAt }) => expiresAt?.getTime()),
    [(nowS() + 30) * 1_000],
  );
  assert.match(fields['signature-input'] ?? '', /^sig=\("@status" "content-digest" "signature";req;key="till"\)/);
});

test('what is not signed, or not as a call through the cloud must be, is answered with 401 and nothing else', async (t) => {
  const { ask, clock, terminal, nowS } = await cloud(t);
  const lan = `;nonce="nonce-of-a-lan-call";keyid="k1";tag="poid"`;
  const replayed = {
    createdS: nowS(),
    more: `;expires=${nowS() + 60};nonce="nonce-sent-twice-0";keyid="k1";tag="poid"`,
  };
  assert.equal((await ask(replayed)).status, 503);
  const cases: Readonly<Record<string, Fields>> = {
    unsigned: { fields: {} },
    'unsigned, an unknown path': { fields: {}, target: '/none' },
    'unsigned, a file': { fields: {}, method: 'GET', target: '/openapi.json', body: '' },
    'a call of the local network, without expires': { more: lan },
    'a life of more than a minute': { lifeS: 61 },
    'for another terminal': { authority: 't-2.poid' },
    'for the local network': { authority: '192.168.1.5:8080' },
    'older than a minute': { createdS: nowS() - 61, lifeS: 60 },
    expired: { createdS: nowS() - 20, lifeS: 10 },
    'sent again by the broker': replayed,
  };
  for (const [name, fields] of Object.entries(cases)) {
    const { status, json } = await ask(fields);
    assert.equal(status, 401, name);
    assert.equal(json.reason, 'notPaired', name);
  }
  clock.jump(-120_000);
  assert.equal((await ask({ createdS: nowS() + 120 })).status, 401, 'a clock that is behind');
  assert.equal(terminal.paid.length, 1);
});

test('a changed body, another posId and a name of the terminal are refused', async (t) => {
  const { ask, terminal, keys } = await cloud(t);
  const other = await ask({ body: JSON.stringify({ ...sale, posId: 'POS-2' }) });
  assert.deepEqual([other.status, other.json.reason], [403, 'otherPosId']);
  await keys.remove('POS-1');
  await keys.put({ ...paired, posId: 'OPERATOR' });
  const own = await ask({ body: JSON.stringify({ ...sale, posId: 'OPERATOR' }) });
  assert.equal(own.status, 401);
  assert.equal(terminal.paid.length, 0);
});

test('what has no way through the cloud, is too large or unknown is refused with a signature', async (t) => {
  const { ask } = await cloud(t);
  const get = { method: 'GET', body: '' };
  const refused = [
    await ask({ target: '/sp/v1/events', ...get }),
    await ask({ target: '/none' }),
    await ask({ target: '/sp/v1/payment', ...get }),
    await ask({ body: JSON.stringify({ ...sale, reference: 'x'.repeat(1_000) }) }),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [404, 404, 405, 413],
  );
  for (const { fields } of refused) assert.ok(fields['signature']);
});

test('a till that asks too much at once gets refusals, and other tills answers', async (t) => {
  const { ask, terminal, keys } = await cloud(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  terminal.payAnswer = async () => {
    await promise;
    return { kind: 'notReady', reason: 'deviceAbsent', message: 'x' };
  };
  const waiting = Array.from({ length: 8 }, () => ask());
  await terminal.paidTimes(8);
  const ninth = await ask();
  assert.deepEqual([ninth.status, ninth.json.reason], [503, 'tooManyCalls']);
  await keys.remove('POS-1');
  await keys.put({ ...paired, posId: 'POS-2' });
  const status = { method: 'GET', target: '/sp/v1/status', body: '' };
  assert.equal((await ask(status)).status, 200, 'the key is now that of another till');
  resolve();
  await Promise.all(waiting);
  await keys.remove('POS-2');
  await keys.put(paired);
  assert.equal((await ask(status)).status, 200, 'the first till is done with its calls');
});

test('a till that leaves its pairing off keeps no other till of the cloud out; many that do, none of the shop', async (t) => {
  const { ask, clock, pairing } = await cloud(t);
  pairing.open();
  const body = JSON.stringify({ posId: 'EVE', commitment: '11'.repeat(32) });
  const begin = async (answerTopic: string) => {
    const { status, json } = await ask({ target: '/sp/v1/pairing', body, fields: {}, answerTopic });
    return status === 200 ? 'begun' : json.reason;
  };
  assert.equal(await begin('answer/1'), 'begun');
  assert.equal(await begin('answer/2'), 'pairingBusy');
  await clock.advance(10_000);
  assert.equal(await begin('answer/1'), 'pairingNotCompleted');
  assert.equal(await begin('answer/2'), 'begun');
  await clock.advance(10_000);
  assert.equal(await begin('answer/3'), 'begun');
  await clock.advance(10_000);
  assert.equal(await begin('answer/4'), 'pairingNotCompleted');
  assert.notEqual(typeof pairing.begin('POS-2', '22'.repeat(32), '192.0.2.7'), 'string');
});
