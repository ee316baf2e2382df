import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveScreen } from '../../src/screen/server.ts';
import { ask } from './watcher.ts';

const simulator = 'http://127.0.0.1:8090';
const inFrame = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };

test('the page may be framed by those who were named, and by nobody on a terminal', async (t) => {
  const alone = await serveScreen(0);
  t.after(() => alone.close());
  const framed = await serveScreen(0, undefined, [simulator]);
  t.after(() => framed.close());
  const policy = async (port: number) => (await ask(port, '/')).headers['content-security-policy'];
  assert.equal(await policy(alone.port), "default-src 'self'; frame-ancestors 'none'");
  assert.equal(await policy(framed.port), `default-src 'self'; frame-ancestors ${simulator}`);
  assert.equal((await ask(alone.port, '/', inFrame)).statusCode, 403);
  assert.equal((await ask(framed.port, '/', inFrame)).statusCode, 200);
  // The frame is all: another page reads nothing of it, and presses nothing.
  assert.equal((await ask(framed.port, '/events', inFrame)).statusCode, 403);
  assert.equal((await ask(framed.port, '/', { ...inFrame, origin: simulator })).statusCode, 403);
});
