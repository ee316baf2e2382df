import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { TraceClient } from '../../src/admin/trace/trace-client.ts';
import { CommissioningError } from '../../src/admin/commissioning-error.ts';
import { traceLimits } from '../../src/observability/line-trace.ts';

const request = { seconds: 60, user: 'root', uid: 0 };
const begun = { begun: { seconds: 60, acquirers: ['EDC'] } };
const message = { at: '2026-11-21T22:00:00.000Z', acquirer: 'EDC', direction: 'sent', bytes: 10, parts: [] };

/** A service that another process of its user has taken over. */
async function compromised(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-trace-'));
  // It keeps its half open when the client has closed the other one.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).resume();
    serve(socket);
  });
  server.listen(path.join(dir, 'trace.sock'));
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    await rm(dir, { recursive: true, force: true });
  });
  return dir;
}

const line = (value: object) => `${JSON.stringify(value)}\n`;

test('no text of the service is an acquirer that a terminal would execute', async (t) => {
  const acquirers = ['EDC\u001b]0;owned\u0007'];
  const dir = await compromised(t, (socket) => socket.write(line({ begun: { seconds: 60, acquirers } })));
  await assert.rejects(
    TraceClient.begin(dir, request, () => undefined),
    CommissioningError,
  );
});

test('a service that sends without end is left once it has sent as much as a trace may have', async (t) => {
  const isClosed = Promise.withResolvers<void>();
  const dir = await compromised(t, (socket) => {
    socket.once('close', () => isClosed.resolve());
    socket.write(line(begun));
    const send = () => {
      while (!socket.destroyed && socket.write(line(message).repeat(100)));
    };
    socket.on('drain', send);
    send();
  });
  let count = 0;
  const client = await TraceClient.begin(dir, request, () => void (count += 1));
  await assert.rejects(client.ended, /more than a trace may have/);
  assert.equal(count, traceLimits.messagesMax);
  await isClosed.promise;
});

for (const [what, lines] of [
  ['that a trace has begun', line(begun)],
  ['that a trace has ended', line({ ended: 'time', messages: 0 })],
] as const) {
  test(`a service that says again and again ${what} is left`, { timeout: 30_000 }, async (t) => {
    const isClosed = Promise.withResolvers<void>();
    const dir = await compromised(t, (socket) => {
      socket.once('close', () => isClosed.resolve());
      socket.write(line(begun));
      const send = () => {
        while (!socket.destroyed && socket.write(lines.repeat(100)));
      };
      socket.on('drain', send);
      send();
    });
    const ended = TraceClient.begin(dir, request, () => undefined).then((client) => client.ended);
    await ended.catch((error: unknown) => assert.ok(error instanceof CommissioningError));
    await isClosed.promise;
  });
}

test('a stop ends the trace of a service that does nothing', { timeout: 20_000 }, async (t) => {
  const dir = await compromised(t, (socket) => socket.write(line(begun)));
  const client = await TraceClient.begin(dir, request, () => undefined);
  client.stop();
  assert.equal(await client.ended, undefined);
});

test('a second stop does not wait', { timeout: 20_000 }, async (t) => {
  const dir = await compromised(t, (socket) => socket.write(line(begun)));
  const client = await TraceClient.begin(dir, request, () => undefined);
  const beganMs = performance.now();
  client.stop();
  client.stop();
  assert.equal(await client.ended, undefined);
  assert.ok(performance.now() - beganMs < 1_500);
});
