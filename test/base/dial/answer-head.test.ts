import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { headOf, interimAnswersMax } from '../../../src/base/dial/answer-head.ts';
import { dripHead, earlyHints, hostileServer, switchingProtocols } from './hostile-server.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

for (const [what, answer, limitMs, reason] of [
  ['status 101', (socket: Socket) => socket.write(switchingProtocols), 60_000, /status 101/],
  [
    'interim answers without end',
    (socket: Socket) => socket.write(earlyHints.repeat(1_000)),
    60_000,
    /interim answers/,
  ],
  ['a part of it', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nX: '), 50, /within 50 ms/],
  ['a byte of it now and then', dripHead, 50, /no whole head of an answer within 50 ms/],
  ['the end of the connection', (socket: Socket) => socket.end(), 60_000, /./],
] as const) {
  test(`the head of an answer does not come where the server sends ${what}`, { timeout: 10_000 }, async (t) => {
    const request = get({ host: '127.0.0.1', port: await hostileServer(t, answer), agent: false });
    const closed = once(request, 'close').catch(() => undefined);
    await assert.rejects(headOf(request, limitMs), reason);
    await closed;
  });
}

test('a few interim answers come before the answer', async (t) => {
  const port = await hostileServer(t, (socket) => socket.write(earlyHints.repeat(interimAnswersMax) + ok));
  const head = await headOf(get({ host: '127.0.0.1', port, agent: false }), 60_000);
  assert.equal(head.statusCode, 200);
  head.destroy();
});
