import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test, type TestContext } from 'node:test';
import { eachRound, MeteredSocket, type Pace, RecordCount } from '../../../src/base/tls/metered-socket.ts';

const limits = { overheadBytesMax: 100, pieceBytes: 64 };

/** A record of this length, header included. */
function record(bytes: number): Buffer {
  const whole = Buffer.alloc(bytes, 0x55);
  whole.set([23, 3, 3, (bytes - 5) >> 8, (bytes - 5) & 0xff]);
  return whole;
}

/** A client, and its connection as the TLS layer has it. */
async function connected(t: TestContext, pace: Pace = eachRound) {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const client = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  t.after(() => client.destroy());
  const [raw] = (await once(server, 'connection')) as [net.Socket];
  raw.on('error', () => undefined);
  const faults: string[] = [];
  const metered = new MeteredSocket(raw, { ...limits, pace, onFault: ({ message }) => faults.push(message) });
  return { client, metered, faults };
}

test('records are counted when they are whole, however they are cut', () => {
  const bytes = Buffer.concat([record(5), record(6), record(300), record(5), record(16_405)]);
  for (const size of [1, 2, 3, 4, 5, 7, 64, 1_000, bytes.length]) {
    const count = new RecordCount();
    for (let at = 0; at < bytes.length; at += size) count.add(bytes.subarray(at, at + size));
    assert.equal(count.wholeBytes, bytes.length, `${size}`);
    count.add(record(400).subarray(0, 399));
    assert.equal(count.wholeBytes, bytes.length);
    count.add(Buffer.alloc(1));
    assert.equal(count.wholeBytes, bytes.length + 400);
  }
});

test('all bytes come, in order and in pieces, and then the end', async (t) => {
  const { client, metered } = await connected(t);
  const sent = Buffer.from(Array.from({ length: 60_000 }, (_, at) => at % 251));
  const pieces: Buffer[] = [];
  metered.on('data', (piece: Buffer) => pieces.push(piece));
  client.end(sent);
  await once(metered, 'end');
  assert.ok(Buffer.concat(pieces).equals(sent));
  assert.ok(Math.max(...pieces.map(({ length }) => length)) <= limits.pieceBytes);
});

test('what is written goes out, and the end of it', async (t) => {
  const { client, metered } = await connected(t);
  metered.cork();
  metered.write('one ');
  metered.write('two');
  metered.end();
  metered.uncork();
  assert.equal(Buffer.concat(await client.toArray()).toString(), 'one two');
});

test('records that carry nothing end the connection, and those of a handshake do not', async (t) => {
  const { client, metered, faults } = await connected(t);
  const heard = { bytes: 0 };
  metered.on('data', (piece: Buffer) => (heard.bytes += piece.length));
  client.write(Buffer.concat(Array.from({ length: 20 }, () => record(50))));
  while (heard.bytes < 1_000) await once(metered, 'data');
  assert.deepEqual(faults, []);
  metered.watch({ bytesRead: 0 });
  client.write(Buffer.concat([record(50), record(50)]));
  while (heard.bytes < 1_100) await once(metered, 'data');
  await new Promise(setImmediate);
  assert.deepEqual([faults, metered.destroyed], [[], false]);
  client.write(record(50));
  await once(metered, 'close');
  assert.deepEqual(faults, ['the other side sends TLS records without data']);
});

test('records of one byte each are read for ever', async (t) => {
  const { client, metered, faults } = await connected(t);
  let bytes = 0;
  metered.on('data', (piece: Buffer) => (bytes += piece.length));
  metered.watch({
    get bytesRead() {
      return Math.floor(bytes / 30);
    },
  });
  client.end(Buffer.concat(Array.from({ length: 2_000 }, () => record(30))));
  await once(metered, 'end');
  assert.deepEqual([faults, bytes], [[], 60_000]);
});

test('a handshake has an end', async (t) => {
  const { client, metered, faults } = await connected(t);
  metered.resume();
  client.write(Buffer.alloc(70_000));
  await once(metered, 'close');
  assert.equal(faults.length, 1);
});

test('bytes that the TLS layer has not taken yet are judged when it has', async (t) => {
  const { client, metered, faults } = await connected(t);
  let data = 0;
  metered.watch({
    get bytesRead() {
      return data;
    },
  });
  metered.pause();
  client.end(record(1_000));
  while (metered.readableLength === 0) await new Promise(setImmediate);
  assert.deepEqual(faults, []);
  metered.on('data', () => (data = 900));
  metered.resume();
  await once(metered, 'end');
  assert.deepEqual(faults, []);
});

test('a pace that gives up ends the connection', async (t) => {
  const pace = { next: async (bytes: number) => bytes !== 7, spend: async () => undefined };
  const { client, metered, faults } = await connected(t, pace);
  metered.resume();
  client.write('seven b');
  await once(metered, 'close');
  assert.deepEqual(faults, ['the other side sends more than the terminal reads']);
});
