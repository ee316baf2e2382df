import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishBytes } from '../../../src/pos/cloud/packet-limit.ts';
import { MessageTooLong } from '../../../src/payment/contracts/cloud-link.ts';
import { cloud, type Fields, paired } from './cloud-stage.ts';
import { quadraticName } from './quadratic-name.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
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

test('a pairing under a text that is too long to be a name is refused in no time', async (t) => {
  const { ask } = await cloud(t, { bodyBytesMax: 65_536 });
  const body = JSON.stringify({ posId: quadraticName, commitment: '11'.repeat(32) });
  const begunMs = performance.now();
  const { status, json } = await ask({ target: '/sp/v1/pairing', body, fields: {} });
  assert.deepEqual([status, json.reason], [400, 'fieldInvalid']);
  assert.ok(performance.now() - begunMs < 1_000);
});

test('a changed body, another posId and a name of the terminal are refused', async (t) => {
  const { ask, terminal, keys } = await cloud(t);
  const other = await ask({ body: JSON.stringify({ ...sale, posId: 'POS-2' }) });
  assert.deepEqual([other.status, other.json.reason], [403, 'otherPosId']);
  await keys.remove('POS-1');
  for (const posId of ['OPERATOR', 'OPERАTOR']) {
    await keys.put({ ...paired, posId });
    assert.equal((await ask({ body: JSON.stringify({ ...sale, posId }) })).status, 401, posId);
  }
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
  const { promise, resolve } = Promise.withResolvers<'unknown'>();
  const read: string[] = [];
  const { ask, keys } = await cloud(t, {
    reports: {
      read: () => {
        read.push('a report');
        return promise;
      },
    },
  });
  const report = { method: 'GET', target: '/sp/v1/report', body: '' };
  const waiting = Array.from({ length: 8 }, () => ask(report));
  while (read.length < 8) await new Promise(setImmediate);
  const ninth = await ask(report);
  assert.deepEqual([ninth.status, ninth.json.reason], [503, 'tooManyCalls']);
  assert.equal(ninth.json.financialImpact, 'NONE');
  await keys.remove('POS-1');
  await keys.put({ ...paired, posId: 'POS-2' });
  const status = { method: 'GET', target: '/sp/v1/status', body: '' };
  assert.equal((await ask(status)).status, 200, 'the key is now that of another till');
  resolve('unknown');
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

test('in place of an answer that the broker does not take, a signed one says so, and what may have become of money', async (t) => {
  const { ask, terminal } = await cloud(t);
  for (const [impact, fields] of [
    ['NONE', { method: 'GET', target: '/sp/v1/transactions', body: '' }],
    ['NONE', { method: 'GET', target: '/none', body: '' }],
    ['NONE', { target: '/sp/v1/receipt', body: '{"posId":"POS-1","messageId":"M-1"}' }],
    // Not ready: nothing was begun.
    ['NONE', {}],
    ['UNKNOWN', { target: '/sp/v1/enquiry', body: '{"posId":"POS-1","messageId":"M-1"}' }],
  ] as const) {
    terminal.enquiryAnswer = { kind: 'running', state: 'collecting' } as typeof terminal.enquiryAnswer;
    const { inShort } = await ask(fields);
    const short = inShort?.(new MessageTooLong(70_000, 1_000)) ?? assert.fail('there is no shorter one');
    const answer = JSON.parse(short.body);
    noteReasons(answer);
    const properties = { ...short.fields, status: String(short.status) };
    const payload = Buffer.from(short.body);
    const whole = publishBytes('poid/v1/T-1/answer/till-1', {
      payload,
      qos: 1,
      correlation: new Uint8Array(16),
      expiryS: 60,
      properties,
    });
    assert.ok(whole < 1_250, `${whole} bytes`);
    assert.deepEqual(
      [short.status, answer.reason, answer.financialImpact],
      [503, 'answerTooLong', impact],
      JSON.stringify(fields),
    );
    assert.match(answer.message, /70000.*1000/);
    assert.equal(answer.retryable, impact === 'NONE' ? 'CORRECT_REQUEST' : 'ENQUIRE');
    assert.match(short.fields['signature-input'] ?? '', /"signature";req;key="till"/);
  }
});

test('a body that is not JSON in UTF-8 as it stands is 415 here too, signed', async (t) => {
  const { ask, calls, terminal } = await cloud(t);
  assert.ok((await ask()).fields['signature'], 'without a Content-Type it is JSON');
  for (const more of [
    { 'content-encoding': 'gzip' },
    { 'content-type': 'application/json; charset=big5' },
    { 'content-type': 'text/plain' },
  ]) {
    const { status, fields, json } = await ask({ moreFields: more });
    assert.deepEqual([status, fields['signature'] !== undefined], [415, true], JSON.stringify(more));
    assert.equal(fields['accept-encoding'], json.reason === 'bodyEncoded' ? 'identity' : undefined);
  }
  const open = {
    answerTopic: 'answer/1',
    method: 'POST',
    target: '/sp/v1/pairing',
    fields: {},
    body: Buffer.from('{}'),
  };
  assert.equal((await calls.answer({ ...open, contentType: 'text/plain' })).status, 415);
  assert.equal((await calls.answer({ ...open, contentType: 'application/json; charset=utf-8' })).status, 400);
  assert.equal(terminal.paid.length, 1);
});
