import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import { PacedSocket } from '../../../src/base/http/paced-socket.ts';
import { Turns } from '../../../src/base/http/turns.ts';
import { carrierOfNothing } from '../../support/carrier-of-nothing.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { GivenTurns } from './given-turns.ts';

/** A client, and its connection as the server has it. */
async function connected(t: TestContext, turns = new Turns(), clock = new ManualClock()) {
  const server = net.createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const client = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  t.after(() => client.destroy());
  const [socket] = (await once(server, 'connection')) as [net.Socket];
  const paced = new PacedSocket(socket, turns, { unreadMs: 15_000, clock });
  paced.on('error', () => undefined);
  return { client, socket, paced };
}

test('all bytes come, in order and in small pieces, and then the end', async (t) => {
  const { client, paced } = await connected(t);
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
  const pieces: Buffer[] = [];
  paced.on('data', (piece: Buffer) => pieces.push(piece));
  client.end(sent);
  await once(paced, 'end');
  assert.ok(Buffer.concat(pieces).equals(sent));
  assert.ok(Math.max(...pieces.map(({ length }) => length)) <= 512);
});

test('connections take turns: a long one keeps no short one waiting', async (t) => {
  const turns = new GivenTurns();
  const [long, short] = [await connected(t, turns), await connected(t, turns)];
  const heard: string[] = [];
  long.paced.on('data', ({ length }: Buffer) => heard.push(`long ${length}`));
  short.paced.on('data', ({ length }: Buffer) => heard.push(`short ${length}`));
  long.client.write(Buffer.alloc(2_000));
  await turns.waiting(1);
  short.client.write('short');
  for (let turn = 0; turn < 3; turn++) {
    await turns.waiting(turn < 2 ? 2 : 1);
    turns.give();
  }
  await turns.waiting(1);
  assert.deepEqual(heard, ['long 512', 'short 5', 'long 512']);
  assert.deepEqual(turns.callers, Array(4).fill('127.0.0.1'));
});

test('the time that bytes wait here for their turns is counted, and is no silence of the client', async (t) => {
  const [turns, clock] = [new GivenTurns(), new ManualClock()];
  const { client, socket, paced } = await connected(t, turns, clock);
  const timeouts: number[] = [];
  paced.on('timeout', () => timeouts.push(paced.heldMs));
  paced.setTimeout(600_000);
  clock.pass(1_000);
  assert.equal(paced.heldMs, 0);
  client.write(Buffer.alloc(600));
  await turns.waiting(1);
  clock.pass(2_000);
  assert.equal(paced.heldMs, 2_000);
  socket.emit('timeout');
  assert.deepEqual(timeouts, []);
  const heard = once(paced, 'data');
  turns.give();
  await heard;
  await turns.waiting(1);
  clock.pass(500);
  turns.give();
  await once(paced, 'data');
  await new Promise(setImmediate);
  clock.pass(4_000);
  assert.equal(paced.heldMs, 2_500);
  socket.emit('timeout');
  assert.deepEqual(timeouts, [2_500]);
});

test('nobody reads: no more is taken than there is room for', async (t) => {
  const { client, socket, paced } = await connected(t);
  client.write(Buffer.alloc(8_000_000));
  paced.once('readable', () => undefined);
  await once(paced, 'readable');
  for (let round = 0; round < 2_000; round++) await new Promise(setImmediate);
  assert.ok(socket.bytesRead < 1_000_000, `${socket.bytesRead}`);
  let size = 0;
  for await (const piece of paced) {
    size += (piece as Buffer).length;
    if (size === 8_000_000) break;
  }
  assert.equal(size, 8_000_000);
});

test('what is written goes out, and the client may have closed its side before', async (t) => {
  const { client, paced } = await connected(t);
  client.end('question');
  assert.equal(await text(paced), 'question');
  paced.write('an ');
  paced.end('answer');
  assert.equal(await text(client), 'an answer');
});

test('what is written together leaves together, in its order', async (t) => {
  const { client, socket, paced } = await connected(t);
  const left = t.mock.method(socket as unknown as { _writev: () => void }, '_writev');
  paced.cork();
  paced.write('head ');
  paced.write('');
  paced.write('body ');
  paced.write('end');
  paced.uncork();
  paced.end();
  assert.equal(await text(client), 'head body end');
  assert.equal(left.mock.callCount(), 1);
});

test('destroySoon lets out what was written, and closes', async (t) => {
  const { client, paced } = await connected(t);
  paced.write(Buffer.alloc(3_000_000, 'x'));
  paced.destroySoon();
  assert.equal((await text(client)).length, 3_000_000);
  if (!paced.closed) await once(paced, 'close');
});

test('one end that goes takes the other along', async (t) => {
  const one = await connected(t);
  one.paced.resume();
  one.client.resetAndDestroy();
  // Not `once`: the reset is an error first.
  await new Promise((resolve) => one.paced.on('close', resolve));
  const other = await connected(t);
  other.paced.destroy();
  await once(other.socket, 'close');
  const third = await connected(t);
  third.client.write(Buffer.alloc(100_000));
  await once(third.paced, 'readable');
  third.paced.destroy();
  await once(third.socket, 'close');
});

test('it says whose it is, and when it has rested too long', async (t) => {
  const { paced } = await connected(t);
  assert.equal(paced.remoteAddress, '127.0.0.1');
  const rested = once(paced, 'timeout');
  paced.setTimeout(5);
  await rested;
});

/** Lets so many milliseconds pass, each in a round of the event loop. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let each = 0; each < ms; each++) {
    await new Promise(setImmediate);
    clock.pass(1);
  }
}

test('a client that takes nothing of its answer for 15 seconds loses the connection', async (t) => {
  const clock = new ManualClock();
  const { client, paced } = await connected(t, new Turns(), clock);
  client.pause();
  paced.write(Buffer.alloc(32_000_000));
  const closed = once(paced, 'close');
  assert.equal(paced.isUnread, false);
  // As much as the kernel holds is taken before.
  while (!paced.isUnread) await pass(clock, 1);
  await pass(clock, 13_000);
  assert.equal(paced.destroyed, false);
  await pass(clock, 2_000);
  assert.equal(paced.destroyed, true);
  await closed;
  assert.equal(clock.pending, 0);
});

test('one that goes on reading gets all of it, however long that takes', async (t) => {
  const clock = new ManualClock();
  const { client, socket, paced } = await connected(t, new Turns(), clock);
  const bytes = 32_000_000;
  let size = 0;
  client.on('data', ({ length }: Buffer) => (size += length));
  paced.end(Buffer.alloc(bytes, 'x'));
  for (let sent = 0; sent < bytes; sent = socket.bytesWritten) {
    const more = Math.min(sent + 1_000_000, bytes);
    while (socket.bytesWritten < more && !socket.destroyed) await new Promise(setImmediate);
    assert.equal(socket.destroyed, false);
    clock.pass(10_000);
  }
  await once(client, 'end');
  assert.equal(size, bytes);
  assert.equal(paced.isUnread, false);
});

test('it closes with a TLS connection whose carrier has gone', async () => {
  const carrier = carrierOfNothing();
  const paced = new PacedSocket(new TLSSocket(carrier), new Turns());
  carrier.destroy();
  await once(paced, 'close');
});
