import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { CloudCalls } from '../../src/api/cloud-calls.ts';
import { EventStream } from '../../src/api/event-stream.ts';
import { PairedKeys } from '../../src/pairing/paired-keys.ts';
import { Pairing } from '../../src/pairing/pairing.ts';
import { RequestAuthenticator } from '../../src/pairing/request-authenticator.ts';
import type { CloudAnswer } from '../../src/ports/cloud-link.ts';
import { signedHeaders, type ToSign } from '../pairing/signing.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noCounter } from '../support/no-counter.ts';
import { noteReasons } from '../support/told-reasons.ts';
import { meansOf } from '../transaction/means.ts';
import {
  bare,
  collectTimes,
  type Json,
  noLists,
  noReports,
  noReprints,
  profiles,
  sale,
  ScriptedTerminal,
  shop,
} from './served.ts';

const authority = 't-1.poid';
const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };

type Fields = Partial<Omit<ToSign, 'key'>> & {
  readonly lifeS?: number;
  readonly fields?: Record<string, string>;
  readonly answerTopic?: string;
};

let nonces = 0;

async function cloud(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-cloud-calls-'));
  t.after(() => rm(dir, { recursive: true }));
  const [keys, clock, terminal] = [new PairedKeys(dir), new ManualClock(), new ScriptedTerminal()];
  const authenticator = await RequestAuthenticator.open(keys, clock);
  await keys.put(paired);
  const random = { bytes: (length: number) => randomBytes(length) };
  const pairing = new Pairing({ keys, clock, random, onChange: () => undefined });
  const parts = {
    terminal,
    pairing,
    lists: noLists,
    reports: noReports,
    means: { ...meansOf(profiles, bare), tips: undefined },
    collectTimes,
    shop,
    answerFor: () => ({ shape: 'A', printedBy: 'terminal' }) as const,
    reprints: noReprints,
    counter: noCounter,
    status: async () => ({ responseResult: 'SUCCESS' }),
    events: new EventStream(clock),
  };
  const failures: unknown[] = [];
  const calls = new CloudCalls({
    parts,
    authenticator,
    authority,
    bodyBytesMax: 1_000,
    onFailure: (error) => failures.push(error),
  });
  const nowS = () => clock.now().getTime() / 1_000;
  const ask = async (given: Fields = {}): Promise<CloudAnswer & { readonly json: Json }> => {
    const { method = 'POST', target = '/sp/v1/payment', body = JSON.stringify(sale), lifeS = 60 } = given;
    const createdS = given.createdS ?? nowS();
    const more = `;expires=${createdS + lifeS};nonce="nonce-${String(++nonces).padStart(16, '0')}";keyid="k1";tag="poid"`;
    const signed = {
      more,
      authority,
      ...given,
      keyId: 'k1',
      key: Buffer.from(paired.key, 'hex'),
      method,
      target,
      body,
      createdS,
    };
    const fields = given.fields ?? signedHeaders(signed);
    const { answerTopic = 'answer/1' } = given;
    const answer = await calls.answer({ answerTopic, method, target, fields, body: Buffer.from(body) });
    const json: Json = answer.body === '' ? undefined : JSON.parse(answer.body);
    noteReasons(json);
    return { ...answer, json };
  };
  return { ask, clock, terminal, keys, nowS, failures, pairing };
}

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
