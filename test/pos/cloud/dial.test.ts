import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import { dialBroker } from '../../../src/pos/cloud/dial.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Packet types (MQTT 5, 2.1.2). */
const [connect, subscribe] = [0x10, 0x82];
const connack = Buffer.from('2003000000', 'hex');
const disconnect = Buffer.from('e000', 'hex');

/** A broker that accepts a connection and says nothing else, and the terminal's link to it. */
async function silent(t: TestContext) {
  const sockets: Socket[] = [];
  const subscribed = Promise.withResolvers<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes[0] === connect) socket.write(connack);
      if (bytes.includes(subscribe)) subscribed.resolve(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const clock = new ManualClock();
  const lost = Promise.withResolvers<string>();
  const dial = dialBroker({
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: 'T-1',
    keepAliveS: 60,
    packetBytesMax: 65_536,
    will: { topic: 'poid/v1/T-1/status', payload: Buffer.from('{}'), delayS: 20 },
  });
  const link = new CloudConnection({
    dial,
    root: 'poid/v1/T-1',
    clock,
    random: { bytes: () => Uint8Array.from([128, 0]) },
    onState: (_state, reason) => reason !== undefined && lost.resolve(reason),
  });
  link.subscribe('call', () => undefined);
  link.open();
  return { link, clock, socket: await subscribed.promise, lost: lost.promise };
}

test('the terminal ends though the broker confirms nothing and keeps its socket open', async (t) => {
  const { link, clock, socket } = await silent(t);
  const closed = once(socket, 'end');
  const ended = link.close();
  // What waits for the broker waits two seconds.
  while (clock.pendingMs.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(2_000);
  await ended;
  await closed;
});

test('a broker that says it disconnects is left, though it keeps its socket open', async (t) => {
  const { link, socket, lost } = await silent(t);
  const closed = once(socket, 'end');
  socket.write(disconnect);
  await closed;
  assert.match(await lost, /connection/);
  await link.close();
});
