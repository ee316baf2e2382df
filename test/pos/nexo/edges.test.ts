import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock, systemRandom } from '../../../src/base/ports/clock.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { nexoSettings } from '../../../src/config/nexo-settings.ts';
import { type Configuration, settings as configuration } from '../../../src/config/settings.ts';
import type { OpenPosProtocol } from '../../../src/pos/contracts/pos-protocol.ts';
import type { PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { configureProtocols } from '../../../src/main/pos-protocols.ts';
import { OpenProtocols, openProtocols } from '../../../src/main/composition/open-protocols.ts';
import { nexo } from '../../../src/pos/nexo/open-nexo.ts';
import { NexoTill } from './till.ts';

const identity = selfSign(['localhost']);
const http = configuration.shape.http.parse({ origins: ['https://pos.example'] });
const failures: unknown[] = [];
/** None may be called. */
const calls = new Proxy({} as PosCalls, { get: (_target, name) => () => assert.fail(`called ${String(name)}`) });

let dir: string;
let served: OpenPosProtocol;
before(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-nexo-'));
  served = await open({ clear: true });
});
after(async () => {
  await served.close();
  rmSync(dir, { recursive: true });
  assert.deepEqual(failures, []);
});

function open(fields: object): Promise<OpenPosProtocol> {
  return nexo.open({
    settings: nexoSettings.parse({ port: 0, host: '127.0.0.1', poiId: 'POID-1', ...fields }),
    calls,
    stateDir: dir,
    http,
    identity: async () => identity,
    clock: systemClock,
    random: systemRandom,
    onFailure: (error) => failures.push(error),
  });
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

async function ask({ method = 'POST', path: target = '/nexo/', headers = {}, body = '{}', agent }: Asked) {
  const asked = httpsRequest({
    host: '127.0.0.1',
    port: served.port,
    method,
    path: target,
    rejectUnauthorized: false,
    headers: { 'content-type': 'application/json', ...headers },
    ...(agent ? { agent } : { agent: false }),
  });
  asked.end(method === 'GET' ? undefined : body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return { status: answer.statusCode, text, headers: answer.headers };
}

test('requests that are none of nexo are refused with the text of errors', async () => {
  const tried: readonly [Asked, number][] = [
    [{ path: '/' }, 404],
    [{ path: '/nexo/x' }, 404],
    [{ method: 'GET' }, 405],
    [{ headers: { 'content-type': 'text/plain' } }, 415],
    [{ headers: { origin: 'https://pos.example' } }, 403],
    [{ headers: { host: 'evil.example' } }, 403],
    [{ headers: { expect: 'a miracle' } }, 417],
    [{ headers: { 'sec-fetch-site': 'same-site' } }, 403],
    [{ body: 'x' }, 400],
    [{ body: '{}' }, 400],
    [{ body: '{"SaleToPOIRequest":{"MessageHeader":{},"MessageHeader":{}}}' }, 400],
    [{ body: `{"SaleToPOIRequest":[${'1,'.repeat(2_500)}1]}` }, 400],
    [{ body: JSON.stringify({ a: 'x'.repeat(140_000) }) }, 413],
  ];
  for (const [asked, status] of tried) {
    const answer = await ask(asked);
    assert.equal(answer.status, status, JSON.stringify(asked).slice(0, 80));
    assert.match(JSON.parse(answer.text).errors[0], /\w/);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  }
});

test('a connection is closed with the fourth message that is refused or rejected', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const kept: (string | undefined)[] = [];
  for (let time = 0; time < 4; time++) kept.push((await ask({ agent })).headers.connection);
  assert.deepEqual(kept, ['keep-alive', 'keep-alive', 'keep-alive', 'close']);
  const till = new NexoTill({ port: served.port ?? 0, poiId: 'POID-2' });
  const message = JSON.stringify({
    SaleToPOIRequest: { MessageHeader: till.header('Diagnosis'), DiagnosisRequest: {} },
  });
  const rejected: (string | undefined)[] = [];
  for (let time = 0; time < 4; time++) rejected.push((await ask({ agent, body: message })).headers.connection);
  assert.equal(rejected.at(-1), 'close');
  const payment = {
    SaleToPOIRequest: { MessageHeader: new NexoTill({ port: 0 }).header('Payment'), PaymentRequest: {} },
  };
  assert.equal((await ask({ agent, body: JSON.stringify(payment) })).headers.connection, 'close');
  agent.destroy();
});

test('plain HTTP is told to use https', async () => {
  const answer = await fetch(`http://127.0.0.1:${served.port}/nexo/`, { method: 'POST', body: '{}' });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /https only/);
});

test('a certificate file: its own key and certificate, in either order; anything else is refused with its name', async () => {
  const own = selfSign(['nexo.example']);
  const file = path.join(dir, 'nexo.pem');
  writeFileSync(file, own.cert + own.key);
  const other = await open({ clear: true, certificate: file });
  assert.notEqual(other.status?.()['fingerprint'], served.status?.()['fingerprint']);
  await other.close();
  for (const text of ['', 'x', own.key, own.key + identity.cert]) {
    writeFileSync(file, text);
    await assert.rejects(
      open({ clear: true, certificate: file }),
      /nexo\.certificate: .*nexo\.pem is not a private key/,
    );
  }
  await assert.rejects(open({ clear: true, certificate: `${file}.none` }), /can't be read \(ENOENT\)/);
});

test('a port that is taken, and a certificate that is none, end the start with a sentence', async () => {
  const boundary = { outside: <T>(work: () => T) => work() };
  const accessControl = { identity: async () => identity };
  const parts = { boundary, api: {}, accessControl, log: {} } as unknown as Parameters<typeof openProtocols>[2];
  const start = (fields: object) => {
    const settings = nexoSettings.parse({ host: '127.0.0.1', poiId: 'POID-1', clear: true, ...fields });
    const own = { http, pairing: { required: false }, posProtocols: {}, stateDir: dir, nexo: settings };
    const [, configured] = configureProtocols(own as unknown as Configuration);
    return openProtocols(configured ? [configured] : [], own as unknown as Configuration, parts, new OpenProtocols());
  };
  const named = (message: RegExp) => ({ name: 'StartError', message });
  await assert.rejects(start({ port: served.port }), named(/^nexo can't listen: the port is in use$/));
  const certificate = path.join(dir, 'none.pem');
  await assert.rejects(start({ port: 0, certificate }), named(/^the configuration can't be used: nexo\.certificate/));
});
