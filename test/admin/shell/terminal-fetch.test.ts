import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { terminalFetch } from '../../../src/admin/shell/terminal-fetch.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const each of sockets) each.destroy();
  for (const each of servers) each.close();
});

async function serverThat(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    onConnection(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fingerprint = '0'.repeat(64);

describe('a call ends when its time is over', () => {
  for (const [what, trust] of [
    ['a fingerprint', { fingerprint }],
    ['a certificate', {}],
  ] as const) {
    test(`by ${what}, at a terminal that is frozen before it speaks TLS`, async () => {
      const end = new AbortController();
      const place = await serverThat(() => end.abort(new Error('time is over')));
      const call = terminalFetch(trust)(`https://${place}/`, { signal: end.signal });
      await assert.rejects(call, /time is over/);
    });
  }

  test('that had been over before', async () => {
    const place = await serverThat(() => undefined);
    const call = terminalFetch({ fingerprint })(`https://${place}/`, { signal: AbortSignal.abort(new Error('over')) });
    await assert.rejects(call, /over/);
  });
});

test('status 101 is no answer', async () => {
  const place = await serverThat((socket) => {
    socket.on('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
  });
  await assert.rejects(terminalFetch({})(`http://${place}/`), /status 101, which nobody has asked for/);
});
