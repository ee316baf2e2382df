import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { dialHost } from '../../../src/base/dial/dial.ts';
import { HttpsExchange } from '../../../src/fleet/updates/https-exchange.ts';
import { dripHead, earlyHints, hostileServer, switchingProtocols } from '../../base/dial/hostile-server.ts';
import { needs } from '../../support/needs.ts';

test('the Host header names a port only where the URL does (RFC 9110, 7.2)', async (t) => {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  // Whatever the URL says, this server answers, without TLS.
  const dial: typeof dialHost = (target, ...rest) =>
    dialHost({ ...target, host: '127.0.0.1', port, secure: undefined }, ...rest);
  const exchange = new HttpsExchange({}, 10_000, dial);
  for (const url of [
    'https://updates.example',
    'https://updates.example:8443/x',
    'http://updates.example',
    'https://[::1]',
  ]) {
    const answer = await exchange.send({ method: 'GET', url: new URL(url), headers: {} });
    answer.drop();
  }
  assert.deepEqual(hosts, ['updates.example', 'updates.example:8443', 'updates.example', '[::1]']);
});

/** A certificate for 127.0.0.1, and its key. */
function makeCertificate(t: TestContext, name: string): { key: string; certificate: string } {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-https-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const [key, certificate] = [path.join(dir, 'key.pem'), path.join(dir, 'certificate.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...words, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
}

test('the terminal’s certificate is shown to the update server alone', needs('openssl'), async (t) => {
  const served = makeCertificate(t, 'server');
  const own = makeCertificate(t, 'terminal');
  const shown: (string | undefined)[] = [];
  const open = async () => {
    const tls = { key: served.key, cert: served.certificate, requestCert: true, rejectUnauthorized: false };
    const server = createSecure(tls, ({ socket }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } };
      shown.push(subject?.CN);
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const [updates, artifacts] = [await open(), await open()];
  const exchange = new HttpsExchange({ ...own, ca: served.certificate, server: updates });
  for (const url of [`${updates}/DEFAULT/controller/v1/T-1`, `${artifacts}/bundle.raucb`]) {
    (await exchange.send({ method: 'GET', url: new URL(url), headers: {} })).drop();
  }
  assert.deepEqual(shown, ['terminal', undefined]);
});

for (const [what, answer, reason] of [
  ['status 101', (socket: Socket) => socket.write(switchingProtocols), /status 101/],
  ['interim answers without end', (socket: Socket) => socket.write(earlyHints.repeat(1_000)), /interim answers/],
  ['a head byte by byte', dripHead, /no whole head of an answer within 100 ms/],
] as const) {
  test(`a request ends where the server sends ${what}`, { timeout: 10_000 }, async (t) => {
    const url = new URL(`http://127.0.0.1:${await hostileServer(t, answer)}`);
    await assert.rejects(new HttpsExchange({}, 100).send({ method: 'GET', url, headers: {} }), reason);
  });
}

for (const [what, text] of [
  ['head', 'HTTP/1.1 200 OK\r\n'],
  ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12'],
] as const) {
  test(`the end of all ends a request in its ${what}`, { timeout: 10_000 }, async (t) => {
    const end = new AbortController();
    const port = await hostileServer(t, (socket) => socket.write(text, () => what === 'head' && end.abort()));
    const exchange = new HttpsExchange({}, 60_000, undefined, end.signal);
    const read = async () => {
      const answer = await exchange.send({ method: 'GET', url: new URL(`http://127.0.0.1:${port}`), headers: {} });
      end.abort();
      for await (const _ of answer.body);
    };
    await assert.rejects(read(), /the requests were ended/);
  });
}
