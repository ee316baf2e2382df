import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { component, createSignature } from 'http-message-sig';
import { createSigner, httpbis } from 'http-message-signatures';
import { connectionLimits } from '../../../src/base/http/connections.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { cloud } from '../api/cloud-stage.ts';
import { served } from '../api/served.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { keyBytes, paired } from './signed-calls.ts';

/** What docs/pairing.md says of the covered components, over every way to the terminal, signed by libraries of others. */

type Headers = Readonly<Record<string, string>>;

interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly target: string;
  readonly body: string;
  readonly headers: Headers;
}

interface Signing {
  readonly created: number;
  readonly nonce: string;
  readonly components: readonly string[];
  readonly expires?: number;
}

type Library = (call: Call, signing: Signing) => Promise<Headers>;

const httpMessageSignatures: Library = async ({ method, url, headers }, { created, nonce, components, expires }) => {
  const ends = expires === undefined ? {} : { expires: new Date(expires * 1_000) };
  const signed = await httpbis.signMessage(
    {
      key: createSigner(keyBytes, 'hmac-sha256', paired.keyId),
      fields: [...components],
      params: ['created', ...Object.keys(ends), 'keyid', 'alg', 'nonce', 'tag'],
      paramValues: { created: new Date(created * 1_000), ...ends, nonce, tag: 'poid' },
    },
    { method, url, headers },
  );
  return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]));
};

const hmac = (data: Uint8Array) => createHmac('sha256', keyBytes).update(data).digest();

const httpMessageSig: Library = async ({ method, url, headers }, { created, nonce, components, expires }) => {
  const fields = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const { signature, signatureInput } = await createSignature(
    { kind: 'request', method, targetUri: url, fields },
    {
      components: components.map((name) => {
        const [, own = name, parameter, value] = /^"?([^";]+)"?;(\w+)(?:="([^"]*)")?$/.exec(name) ?? [];
        return parameter === undefined ? own : component(own, { [parameter]: value ?? true });
      }),
      parameters: { created, ...(expires === undefined ? {} : { expires }), keyid: paired.keyId, nonce, tag: 'poid' },
      signer: { algorithm: 'hmac-sha256', sign: hmac },
    },
  );
  return { ...headers, signature, 'signature-input': signatureInput };
};

const libraries = { 'http-message-signatures': httpMessageSignatures, 'http-message-sig': httpMessageSig };

interface Way {
  readonly origin: string;
  readonly nowS: () => number;
  /** The status of the answer, and what it says. */
  readonly send: (call: Call, headers: Headers) => Promise<{ status: number; message?: string }>;
  readonly lifeS?: number;
}

const certificate = selfSign(['127.0.0.1']);

async function overHttp(t: TestContext, scheme: 'http' | 'https'): Promise<Way> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-components-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const clock = new ManualClock();
  const authenticator = await RequestAuthenticator.open(keys, clock);
  await keys.put(paired);
  const limits = { ...connectionLimits, newPerSecondMax: 10_000 };
  const { port } = await served(t, { authenticator, limits, ...(scheme === 'https' ? { tls: certificate } : {}) });
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    nowS: () => clock.now().getTime() / 1_000,
    async send({ method, target, body }, headers) {
      const request = scheme === 'https' ? httpsRequest : httpRequest;
      const asked = request({
        host: '127.0.0.1',
        port,
        method,
        path: target,
        headers,
        agent: false,
        ca: certificate.cert,
      });
      const responded = once(asked, 'response');
      asked.end(body);
      const [response] = (await responded) as [IncomingMessage];
      const { message } = JSON.parse(Buffer.concat(await response.toArray()).toString()) as { message?: string };
      return { status: response.statusCode ?? 0, ...(message === undefined ? {} : { message }) };
    },
  };
}

async function overMqtt(t: TestContext): Promise<Way> {
  const { calls, nowS } = await cloud(t);
  return {
    origin: 'https://t-1.poid',
    nowS,
    lifeS: 60,
    async send({ method, target, body }, headers) {
      // The authority is the terminal's name at the broker, and a call has no type.
      const carried = Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'content-type');
      const fields = Object.fromEntries(carried);
      const answer = await calls.answer({ answerTopic: 'answer/1', method, target, fields, body: Buffer.from(body) });
      const { message } = JSON.parse(answer.body) as { message?: string };
      return { status: answer.status, ...(message === undefined ? {} : { message }) };
    },
  };
}

const ways = {
  HTTP: (t: TestContext) => overHttp(t, 'http'),
  HTTPS: (t: TestContext) => overHttp(t, 'https'),
  MQTT: overMqtt,
};

const bodyOf = { GET: '', POST: '{"posId":"POS-1","messageId":"M-1"}' };

function callOf(origin: string, method: 'GET' | 'POST', target: string): Call {
  const body = bodyOf[method];
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const headers = { host: new URL(origin).host, 'content-digest': digest };
  const typed = method === 'GET' ? headers : { ...headers, 'content-type': 'application/json' };
  return { method, url: origin + target, target, body, headers: typed };
}

const uri = ['@method', '@target-uri'];
const parts = ['@method', '@authority', '@path', '@query'];

/** Every list that docs/pairing.md allows; `gets`: enough for a GET alone. */
const allowed: readonly { readonly components: readonly string[]; readonly gets?: true }[] = [
  { components: [...uri, 'content-digest'] },
  { components: [...parts, 'content-digest'] },
  { components: ['content-digest', '@query', '@path', '@authority', '@method'] },
  { components: [...uri, '@authority', '@path', '@query', 'content-digest'] },
  { components: [...uri, '@scheme', 'content-digest'] },
  { components: [...parts, '@scheme', '@target-uri', 'content-digest'] },
  { components: uri, gets: true },
  { components: parts, gets: true },
];

const refused: readonly (readonly string[])[] = [
  [...uri, 'content-digest', '@request-target'],
  [...uri, 'content-digest', '"@query-param";name="now"'],
  [...uri, 'content-digest', '"content-digest";bs'],
  ['@target-uri', 'content-digest'],
  ['@method', '@path', '@query', 'content-digest'],
  ['@method', '@authority', '@path', 'content-digest'],
  ['@method', '@authority', '@query', 'content-digest'],
];

async function signed(library: Library, way: Way, call: Call, components: readonly string[]): Promise<Headers> {
  const created = way.nowS();
  const expires = way.lifeS === undefined ? {} : { expires: created + way.lifeS };
  return library(call, { created, ...expires, nonce: randomBytes(16).toString('hex'), components });
}

const targets = {
  POST: ['/sp/v1/enquiry', '/sp/v1/enquiry?', '/sp/v1/enquiry?now=1&x=%2F'],
  GET: ['/sp/v1/status', '/sp/v1/status?a=b?c'],
};

for (const [name, library] of Object.entries(libraries)) {
  for (const [carrier, open] of Object.entries(ways)) {
    describe(`${name} over ${carrier}`, () => {
      test('every documented list is admitted, and none of them for another call', async (t) => {
        const way = await open(t);
        for (const method of ['POST', 'GET'] as const) {
          for (const target of targets[method]) {
            for (const { components, gets } of allowed) {
              const call = callOf(way.origin, method, target);
              const headers = await signed(library, way, call, components);
              const what = `${method} ${target} (${components.join(' ')})`;
              const { status, message } = await way.send(call, headers);
              if (gets && method === 'POST') assert.equal(status, 401, what);
              else assert.notEqual(status, 401, `${what}: ${message}`);
              const again = await signed(library, way, call, components);
              assert.equal(
                (await way.send({ ...call, target: `${target.split('?')[0]}?other` }, again)).status,
                401,
                what,
              );
            }
          }
        }
      });

      test('a list with less, or with what is documented as refused, is not', async (t) => {
        const way = await open(t);
        for (const components of refused) {
          const call = callOf(way.origin, 'POST', '/sp/v1/enquiry?now=1');
          // A library may not know a component, and then signs nothing with it.
          const headers = await signed(library, way, call, components).catch(() => undefined);
          if (headers) assert.equal((await way.send(call, headers)).status, 401, components.join(' '));
        }
      });

      test('the scheme of another connection is refused', async (t) => {
        const way = await open(t);
        const call = callOf(way.origin, 'POST', '/sp/v1/enquiry');
        const other = way.origin.startsWith('https') ? 'http' : 'https';
        const elsewhere = { ...call, url: call.url.replace(/^https?/, other) };
        for (const components of [
          [...uri, 'content-digest'],
          [...parts, '@scheme', 'content-digest'],
        ]) {
          const headers = await signed(library, way, elsewhere, components);
          assert.equal((await way.send(call, headers)).status, 401, components.join(' '));
        }
      });
    });
  }
}
