import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawClient, wire } from './raw-client.ts';
import { assertRefused, marker } from './refused.ts';
import { served } from './served.ts';

for (const [what, headers] of [
  ['content-length', {}],
  ['chunks', { 'transfer-encoding': 'chunked' }],
] as const) {
  for (const megabytes of [5, 12]) {
    test(`${megabytes} MB by ${what}: the client reads its 413`, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ body: Buffer.alloc(megabytes * 1024 * 1024, marker), headers });
      assertRefused(answer, 413);
      assert.equal(answer.headers['connection'], 'close');
      assert.equal(terminal.paid.length, 0);
    });
  }
}

test('5 MB of another Content-Type: the client reads its 415', async (t) => {
  const { terminal, call } = await served(t);
  const body = Buffer.alloc(5 * 1024 * 1024, marker);
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    '',
    'multipart/form-data',
  ]) {
    assertRefused(await call({ body, headers: { 'content-type': type } }), 415);
  }
  assert.equal(terminal.paid.length, 0);
});

test('a connection with a body beyond all that is dropped is closed, and that is no failure of the terminal', async (t) => {
  const api = await served(t);
  const client = new RawClient(api);
  client.socket.write(wire('').replace('Content-Length: 0', 'Transfer-Encoding: chunked'));
  const chunk = `100000\r\n${' '.repeat(0x10_0000)}\r\n`;
  for (let sent = 0; sent < 20; sent++) client.socket.write(chunk);
  await client.letGo();
  // The reset may have overtaken it.
  assert.match(client.text, /^(?:HTTP\/1\.1 413 |$)/);
  assert.deepEqual(api.failures, []);
});
