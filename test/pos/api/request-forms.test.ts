import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectSecure } from 'node:tls';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { signedHeaders } from '../pairing/signing.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { type Json, sale, served } from './served.ts';
import { watched } from './watched.ts';

const body = JSON.stringify(sale);
const json = 'Content-Type: application/json';
const paired = { posId: 'POS-1', keyId: 'k1', key: '42'.repeat(32), pairedAt: '2026-01-01T00:00:00.000Z' };
const longHost = `${'a.'.repeat(129)}lan`;
const own = selfSign(['localhost', '127.0.0.1']);

interface Heard {
  readonly status: number;
  readonly head: string;
  readonly json: Json;
}

/** Sends one request as it stands, and reads until the server has closed. */
async function send(
  port: number,
  lines: readonly string[],
  content: string | Buffer = '',
  secure = false,
): Promise<Heard> {
  const socket = secure ? connectSecure({ port, host: '127.0.0.1', ca: own.cert }) : connect(port, '127.0.0.1');
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  socket.write(content);
  const text = Buffer.concat(await socket.toArray()).toString();
  const end = text.indexOf('\r\n\r\n');
  const reported = text.slice(end + 4);
  const parsed: Json = reported.startsWith('{') ? JSON.parse(reported) : undefined;
  noteReasons(parsed);
  return { status: Number(text.slice(9, 12)), head: text.slice(0, end), json: parsed };
}

function posted(target: string, host: string | undefined, version = '1.1'): string[] {
  const hosts = host === undefined ? [] : [`Host: ${host}`];
  return [`POST ${target} HTTP/${version}`, ...hosts, json, `Content-Length: ${body.length}`];
}

describe('a target in absolute-form', { timeout: 30_000 }, () => {
  for (const [target, host] of [
    ['http://127.0.0.1:8080/sp/v1/payment', '127.0.0.1:8080'],
    ['HTTP://LocalHost/sp/v1/payment', 'localhost'],
    ['http://till.shop.lan:1/sp/v1/payment?x=http://evil.example/', 'till.shop.lan:1'],
    ['http://[::1]:8080/sp/v1/payment', '[::1]:8080'],
    ['http://127.0.0.1:80/sp/v1/payment', '127.0.0.1'],
  ] as const) {
    test(`${target} reaches its handler`, async (t) => {
      const { port, terminal } = await served(t, { access: { hostnames: ['till.shop.lan'] } });
      const { json: answer } = await send(port, posted(target, host), body);
      assert.equal(answer.reason, 'deviceAbsent', 'what the script answers');
      assert.equal(terminal.paid.length, 1);
    });
  }

  test('needs no Host in HTTP/1.0', async (t) => {
    const { port, terminal } = await served(t);
    await send(port, posted('http://127.0.0.1/sp/v1/payment', undefined, '1.0'), body);
    assert.equal(terminal.paid.length, 1);
  });

  test('with a foreign authority is 403, and nothing is begun', async (t) => {
    const { port, terminal } = await served(t);
    const heard = await send(port, posted('http://evil.example/sp/v1/payment', 'evil.example'), body);
    assert.deepEqual([heard.status, heard.json.reason, terminal.paid.length], [403, 'hostNotAllowed', 0]);
  });

  for (const [what, target, host] of [
    ['a foreign authority, and its own Host', 'http://evil.example/sp/v1/payment', '127.0.0.1'],
    ['a foreign Host beside the own authority', 'http://127.0.0.1/sp/v1/payment', 'evil.example'],
    ['another of its own names as Host', 'http://127.0.0.1/sp/v1/payment', 'localhost'],
    ['another port', 'http://127.0.0.1:8080/sp/v1/payment', '127.0.0.1:8081'],
    ['a user in its authority', 'http://127.0.0.1@evil.example/sp/v1/payment', 'evil.example'],
    ['a user before the own name', 'http://evil@127.0.0.1/sp/v1/payment', '127.0.0.1'],
    ['no authority', 'http:///sp/v1/payment', '127.0.0.1'],
    ['a port that is none', 'http://127.0.0.1:99999/sp/v1/payment', '127.0.0.1:99999'],
    ['a host that is longer than any name', `http://${longHost}/sp/v1/payment`, longHost],
    ['no Host in HTTP/1.1', 'http://127.0.0.1/sp/v1/payment', undefined],
  ] as const) {
    test(`with ${what} is 400, and nothing is begun`, async (t) => {
      const { port, terminal } = await served(t);
      const { status } = await send(port, posted(target, host), body);
      assert.deepEqual([status, terminal.paid.length], [400, 0]);
    });
  }

  for (const [scheme, secure] of [
    ['https', false],
    ['http', true],
  ] as const) {
    test(`${scheme} over ${secure ? 'TLS' : 'a plain connection'} is 421`, async (t) => {
      const { port, terminal } = await served(t, secure ? { tls: own } : {});
      const heard = await send(port, posted(`${scheme}://127.0.0.1/sp/v1/payment`, '127.0.0.1'), body, secure);
      assert.deepEqual([heard.status, heard.json.reason, terminal.paid.length], [421, 'notHttp', 0]);
    });
  }

  test('over TLS it is https', async (t) => {
    const { port, terminal } = await served(t, { tls: own });
    await send(port, posted('https://localhost/sp/v1/payment', 'localhost'), body, true);
    assert.equal(terminal.paid.length, 1);
  });

  for (const [what, components] of [
    ['@target-uri', ['@method', '@target-uri', 'content-digest']],
    ['@authority, @path and @query', undefined],
  ] as const) {
    test(`its signature over ${what} is that of the same call in origin-form`, async (t) => {
      const dir = await mkdtemp(path.join(tmpdir(), 'poid-forms-'));
      t.after(() => rm(dir, { recursive: true }));
      const keys = new PairedKeys(dir);
      const { port, terminal, clock } = await watched(t, {}, (each) => RequestAuthenticator.open(keys, each));
      await keys.put(paired);
      const target = '/sp/v1/payment?a=b&c=%20d';
      const signed = signedHeaders({
        key: Buffer.from(paired.key, 'hex'),
        keyId: paired.keyId,
        method: 'POST',
        target,
        authority: 'localhost:8080',
        body,
        createdS: clock.now().getTime() / 1_000,
        ...(components ? { components } : {}),
      });
      const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
      const { json: answer } = await send(
        port,
        [...posted(`http://LOCALHOST:8080${target}`, 'localhost:8080'), ...lines],
        body,
      );
      assert.equal(answer.reason, 'deviceAbsent', answer.message);
      assert.equal(terminal.paid.length, 1);
    });
  }

  test('other targets are what they were', async (t) => {
    const { port, terminal } = await served(t);
    const host = 'Host: 127.0.0.1';
    for (const [target, status] of [
      ['*', 404],
      ['http://127.0.0.1', 404],
      ['http://127.0.0.1?x', 404],
      ['ftp://127.0.0.1/sp/v1/payment', 404],
      ['//127.0.0.1/sp/v1/payment', 404],
      ['/sp/v1//payment', 404],
      ['/sp/v1/payment/', 404],
      ['/sp/v1/payment;v=1', 404],
      ['/sp/v1/%70ayment', 404],
    ] as const)
      assert.equal((await send(port, [`OPTIONS ${target} HTTP/1.1`, host])).status, status, target);
    assert.equal(terminal.paid.length, 0);
  });
});

describe('a body that is not JSON in UTF-8 as it stands', { timeout: 30_000 }, () => {
  for (const [what, type, encoding, bytes, status, reason] of [
    ['gzip', 'application/json', 'gzip', gzipSync(body), 415, 'bodyEncoded'],
    ['JSON that claims to be gzip', 'application/json', 'gzip', body, 415, 'bodyEncoded'],
    ['an unknown coding', 'application/json', 'x-shop', body, 415, 'bodyEncoded'],
    ['Latin-1', 'application/json; charset=iso-8859-1', undefined, body, 415, 'notJsonType'],
    ['two charsets', 'application/json; charset=utf-8; charset=big5', undefined, body, 415, 'notJsonType'],
    [
      'not UTF-8, whatever it claims',
      'application/json; charset=utf-8',
      undefined,
      Buffer.from([0x22, 0xff, 0x22]),
      400,
      'notUtf8',
    ],
  ] as const) {
    test(`${what}: ${status}, and nothing is begun`, async (t) => {
      const { terminal, ...api } = await served(t);
      const coding = encoding === undefined ? {} : { 'content-encoding': encoding };
      const answer = await api.call({ body: bytes, headers: { 'content-type': type, ...coding } });
      assert.deepEqual([answer.status, answer.json.reason], [status, reason]);
      assert.equal(answer.headers['accept-encoding'], reason === 'bodyEncoded' ? 'identity' : undefined);
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('two Content-Types are none; identity and utf8 are fine', async (t) => {
    const { port, terminal, call } = await served(t);
    const twice = await send(port, [...posted('/sp/v1/payment', '127.0.0.1'), json], body);
    assert.deepEqual([twice.status, terminal.paid.length], [415, 0]);
    await call({
      body,
      headers: { 'content-type': 'application/json;charset="UTF-8"', 'content-encoding': 'identity' },
    });
    assert.equal(terminal.paid.length, 1);
  });

  test('a transfer coding besides chunked is 501', async (t) => {
    const { port, terminal } = await served(t);
    const zipped = gzipSync(body);
    const chunks = Buffer.concat([
      Buffer.from(`${zipped.length.toString(16)}\r\n`),
      zipped,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    const head = ['POST /sp/v1/payment HTTP/1.1', 'Host: 127.0.0.1', json, 'Transfer-Encoding: gzip, chunked'];
    const heard = await send(port, head, chunks);
    assert.deepEqual([heard.status, heard.json.reason, terminal.paid.length], [501, 'bodyEncoded', 0]);
  });
});

describe('what HTTP allows a client', { timeout: 30_000 }, () => {
  for (const [what, lines, content] of [
    [
      'chunks with trailers',
      ['Transfer-Encoding: Chunked'],
      `${body.length.toString(16)};x=y\r\n${body}\r\n0\r\nX-Sum: 1\r\n\r\n`,
    ],
    ['Expect: 100-continue', ['Expect: 100-Continue', `Content-Length: ${body.length}`], body],
  ] as const) {
    test(what, async (t) => {
      const { port, terminal } = await served(t);
      await send(port, ['POST /sp/v1/payment HTTP/1.1', 'Host: 127.0.0.1', json, ...lines], content);
      assert.equal(terminal.paid.length, 1);
    });
  }

  test('HTTP/1.0: the connection ends with the answer, and an Expect is not heard', async (t) => {
    const { port, terminal } = await served(t);
    const { head } = await send(port, [...posted('/sp/v1/payment', '127.0.0.1', '1.0'), 'Expect: x'], body);
    assert.match(head, /connection: close/i);
    assert.doesNotMatch(head, /transfer-encoding/i);
    assert.equal(terminal.paid.length, 1);
  });

  test('HEAD is GET without the body', async (t) => {
    const { port } = await served(t);
    for (const target of ['/sp/v1/status', '/sp/v1/capabilities', '/docs']) {
      const [got, head] = [
        await send(port, [`GET ${target} HTTP/1.1`, 'Host: localhost']),
        await send(port, [`HEAD ${target} HTTP/1.1`, 'Host: localhost']),
      ];
      assert.equal(head.status, 200, target);
      const plain = (text: string) => text.replace(/^date: .*$/im, '');
      assert.equal(plain(head.head), plain(got.head), target);
      assert.equal(head.json, undefined);
    }
    const posted = await send(port, ['HEAD /sp/v1/payment HTTP/1.1', 'Host: localhost']);
    assert.equal(posted.status, 405);
    assert.match(posted.head, /allow: POST\r\n/i);
  });
});
