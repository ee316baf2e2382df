import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { ConnectionRateLimiter } from '../../../src/pos/api/connection-rate-limiter.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { served } from './served.ts';

const passes = (door: ConnectionRateLimiter, address: string, tries: number) =>
  Array.from({ length: tries }, () => door.check(address)).filter((refused) => !refused).length;

test('an address has its burst, and then so many a second, whatever another does', () => {
  let nowMs = 0;
  const door = new ConnectionRateLimiter(5, () => nowMs);
  assert.equal(passes(door, '10.0.0.1', 100), 5);
  assert.equal(passes(door, '10.0.0.2', 3), 3);
  nowMs += 399;
  assert.equal(passes(door, '10.0.0.1', 100), 1);
  nowMs += 1;
  assert.equal(passes(door, '10.0.0.1', 100), 1);
  nowMs += 3_600_000;
  assert.equal(passes(door, '10.0.0.1', 100), 5);
});

test('it remembers so many addresses and no more', () => {
  const door = new ConnectionRateLimiter(1, () => 0);
  assert.equal(passes(door, 'first', 2), 1);
  for (let each = 0; each < 4_095; each++) passes(door, `${each}`, 1);
  assert.equal(passes(door, 'first', 1), 0);
  passes(door, 'one more', 1);
  assert.equal(passes(door, 'first', 1), 1);
});

for (const [what, tls] of [
  ['HTTP', undefined],
  ['HTTPS', selfSign(['127.0.0.1'])],
] as const) {
  test(`${what}: who opens too many is closed unread, and another address is let in`, async (t) => {
    const limits = { connectionsMax: 100, perAddressMax: 100, newPerSecondMax: 3 };
    const { port } = await served(t, { limits, ...(tls ? { tls } : {}) });
    const opened = async (localAddress: string) => {
      const socket = net.connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined);
      t.after(() => socket.destroy());
      // Refused in plain text, or by TLS: told, or closed without a word.
      socket.write('no HTTP\r\n\r\n');
      return new Promise<boolean>((resolve) => {
        socket.once('data', () => resolve(true));
        socket.once('close', () => resolve(false));
      });
    };
    const letIn = await Promise.all(Array.from({ length: 50 }, () => opened('127.0.0.2')));
    // On a slow machine a second may pass meanwhile.
    assert.ok(letIn.filter(Boolean).length >= 3 && letIn.includes(false), letIn.join());
    assert.equal(await opened('127.0.0.3'), true);
  });
}

test('HTTPS: who holds connections without a handshake keeps nobody else out', async (t) => {
  const limits = { connectionsMax: 8, perAddressMax: 4, newPerSecondMax: 1_000 };
  const { port } = await served(t, { limits, tls: selfSign(['127.0.0.1']) });
  const idle = Array.from({ length: 30 }, (_, at) =>
    net.connect({ host: '127.0.0.1', port, localAddress: `127.0.1.${1 + (at % 10)}` }).on('error', () => undefined),
  );
  t.after(() => idle.forEach((each) => each.destroy()));
  await Promise.all(idle.map((each) => once(each, 'connect')));
  const other = net.connect({ host: '127.0.0.1', port }).on('error', () => undefined);
  t.after(() => other.destroy());
  other.write('no HTTP\r\n\r\n');
  const [reported] = (await once(other, 'data')) as [Buffer];
  assert.match(reported.toString(), /https only/);
});
