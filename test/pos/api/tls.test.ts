import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { test, type TestContext } from 'node:test';
import tls from 'node:tls';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { type Json, sale, served } from './served.ts';
import { keyUpdates, secretIn, suite } from '../../support/key-updates.ts';
import { noteReasons } from '../../support/reported-reasons.ts';

const own = selfSign(['localhost', '127.0.0.1']);
const quick = { headersMs: 60, requestMs: 80, idleMs: 5_000, unreadMs: 5_000, checkMs: 10 };

async function securely(port: number, body: Json, options = {}): Promise<{ status: number; json: Json }> {
  const asked = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/sp/v1/payment',
    ca: own.cert,
    agent: false,
    headers: { 'content-type': 'application/json' },
    ...options,
  });
  const responded = once(asked, 'response');
  asked.end(JSON.stringify(body));
  const [response] = (await responded) as [IncomingMessage];
  return { status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(await response.toArray()).toString()) };
}

/** All that comes back until the other side has closed. */
async function raw(t: TestContext, port: number, text: string | Buffer): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return heard;
}

test('a payment over HTTPS, to a client that trusts this certificate and no other', async (t) => {
  const { port, terminal } = await served(t, { tls: own });
  terminal.payAnswer = async () => ({
    kind: 'ended',
    record: authorizedRecord({ outcome: approved, conclusion: success }),
  });
  const { status, json } = await securely(port, sale);
  assert.equal(status, 200);
  assert.equal(json.responseResult, 'SUCCESS');
  await assert.rejects(securely(port, sale, { ca: selfSign(['127.0.0.1']).cert }), /self-signed/);
  assert.equal(terminal.paid.length, 1);
});

for (const [what, text] of [
  ['a POST', `POST /sp/v1/payment HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}`],
  ['a GET', 'GET /sp/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['one byte', 'P'],
  ['a large body', `POST / HTTP/1.1\r\n\r\n${'x'.repeat(1_000_000)}`],
] as const) {
  test(`plain HTTP is told that it is refused: ${what}`, async (t) => {
    const { port, terminal, failures } = await served(t, { tls: own });
    const heard = await raw(t, port, text);
    assert.match(heard, /^HTTP\/1\.1 400 Bad Request\r\n/);
    const body: Json = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n')));
    noteReasons(body);
    assert.equal(body.financialImpact, 'NONE');
    assert.match(body.message, /https only/);
    assert.equal(terminal.paid.length, 0);
    assert.deepEqual(failures, []);
  });
}

for (const [what, first] of [
  ['nothing', ''],
  ['the start of a handshake', Buffer.from([22, 3, 1])],
  ['a handshake that is none', Buffer.concat([Buffer.from([22, 3, 1, 0, 50]), Buffer.alloc(50, 0x55)])],
] as const) {
  test(`a client that sends ${what} is let go, and keeps nobody waiting`, async (t) => {
    const { port, close, failures } = await served(t, { tls: own, timeouts: quick });
    const heard = await raw(t, port, first);
    assert.doesNotMatch(heard, /HTTP/);
    await close();
    assert.deepEqual(failures, []);
  });

  test(`a terminal that stops does not wait for one that has sent ${what}`, async (t) => {
    const { port, close } = await served(t, { tls: own, timeouts: { ...quick, headersMs: 60_000, requestMs: 60_000 } });
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(first);
    await securely(port, sale);
    await close();
    await gone;
  });
}

test('TLS 1.1 is too old', async (t) => {
  const { port } = await served(t, { tls: own });
  const old = { host: '127.0.0.1', port, ca: own.cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
  const socket = tls.connect({ ...old, ciphers: 'ALL@SECLEVEL=0' });
  t.after(() => socket.destroy());
  await assert.rejects(once(socket, 'secureConnect'), /protocol/i);
});

test('the handshake may come byte by byte', async (t) => {
  const { port } = await served(t, { tls: own });
  const bridge = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    client.on('data', (chunk) => {
      for (const byte of chunk) upstream.write(Uint8Array.of(byte));
    });
    upstream.setNoDelay(true).pipe(client);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
  });
  bridge.listen(0, '127.0.0.1');
  await once(bridge, 'listening');
  t.after(() => bridge.close());
  const { status } = await securely((bridge.address() as net.AddressInfo).port, sale);
  assert.equal(status, 503);
});

/** A connection with TLS 1.3, what it writes below TLS, and the secret of its first bytes. */
async function secured(t: TestContext, port: number) {
  const raw = net.connect(port, '127.0.0.1').on('error', () => undefined);
  t.after(() => raw.destroy());
  const socket = tls.connect({
    socket: raw,
    ca: own.cert,
    servername: 'localhost',
    ciphers: suite,
    minVersion: 'TLSv1.3',
  });
  socket.on('error', () => undefined);
  let secret: Buffer = Buffer.alloc(0);
  socket.on('keylog', (line: Buffer) => (secret = secretIn(line, 'CLIENT_TRAFFIC_SECRET_0') ?? secret));
  // A ticket of the server: it has read the end of the handshake.
  await once(socket, 'session');
  // Node does not write in order while it reads one.
  await new Promise(setImmediate);
  const closed = new Promise((resolve) => raw.once('close', resolve));
  return { raw, socket, secret, closed };
}

const payment = `POST /sp/v1/payment HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: `;

test('a client may send a few KeyUpdates', async (t) => {
  const { port, terminal } = await served(t, { tls: own });
  const { raw, secret, closed } = await secured(t, port);
  raw.write(keyUpdates(secret, 30));
  await securely(port, sale);
  assert.equal(terminal.paid.length, 1);
  assert.equal(raw.destroyed, false);
  raw.destroy();
  await closed;
});

test('a client that sends KeyUpdates and nothing else is reset', { timeout: 30_000 }, async (t) => {
  const { port, terminal } = await served(t, { tls: own });
  const { raw, secret, closed } = await secured(t, port);
  raw.write(keyUpdates(secret, 2_000));
  await closed;
  await securely(port, sale);
  assert.equal(terminal.paid.length, 1);
});

test('a request in records of one byte is read', { timeout: 30_000 }, async (t) => {
  const { port, terminal } = await served(t, { tls: own });
  const { socket } = await secured(t, port);
  socket.setNoDelay(true);
  const body = JSON.stringify(sale);
  for (const byte of `${payment}${body.length}\r\n\r\n${body}`) socket.write(byte);
  while (terminal.paid.length === 0) await once(socket, 'data');
  assert.equal(terminal.paid.length, 1);
});
