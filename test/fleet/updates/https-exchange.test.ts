import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { dialHost } from '../../../src/base/dial/dial.ts';
import { HttpsExchange } from '../../../src/fleet/updates/https-exchange.ts';

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
