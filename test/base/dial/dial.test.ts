import assert from 'node:assert/strict';
import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createSecureServer } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { dialHost } from '../../../src/base/dial/dial.ts';
import { inTurn } from '../../../src/base/dial/lookup.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { keyUpdates, secretIn, suite } from '../../support/key-updates.ts';
import { MeterFault } from '../../../src/base/tls/metered-socket.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const target = { host: 'bank.test', port: 1, connectTimeoutMs: 5_000 };

/** A host name whose addresses answer when the test says so, on a clock that stands still. */
class Stage {
  readonly clock = new ManualClock();
  readonly begun: string[] = [];
  readonly #attempts = new Map<string, { readonly socket: Socket; readonly onOpen: () => void }>();
  readonly #aborting = new AbortController();
  readonly dialled: Promise<Socket>;

  constructor(addresses: readonly string[] | Promise<readonly string[]>) {
    const lookup = async () => addresses;
    const open = (address: string, onOpen: () => void) => {
      const socket = new Socket();
      this.begun.push(address);
      this.#attempts.set(address, { socket, onOpen });
      return socket;
    };
    this.dialled = dialHost(target, this.clock, this.#aborting.signal, { lookup, open });
    this.dialled.catch(() => undefined);
  }

  abort(): void {
    this.#aborting.abort(new Error('the terminal ends'));
  }

  socket(address: string): Socket {
    const { socket } = this.#attempts.get(address) ?? assert.fail(`${address} was not tried`);
    return socket;
  }

  async answer(address: string): Promise<void> {
    this.#attempts.get(address)?.onOpen();
    await settled();
  }

  async refuse(address: string): Promise<void> {
    this.socket(address).destroy(new Error(`${address} refuses`));
    await settled();
  }
}

test('each of two addresses has half of the time before the next one is begun', async () => {
  const stage = new Stage(['a', 'b']);
  await stage.clock.advance(2_499);
  assert.deepEqual(stage.begun, ['a']);
  await stage.clock.advance(1);
  assert.deepEqual(stage.begun, ['a', 'b']);
  await stage.clock.advance(2_499);
  await stage.answer('b');
  assert.equal(await stage.dialled, stage.socket('b'));
  assert.equal(stage.socket('a').destroyed, true);
  assert.equal(stage.clock.pending, 0);
});

test('ten addresses have a tenth each, and the first may still answer at the end', async () => {
  const names = 'abcdefghij'.split('');
  const stage = new Stage(names);
  for (let tried = 1; tried <= 10; tried++) {
    await stage.clock.advance(tried === 1 ? 499 : 500);
    assert.equal(stage.begun.length, tried);
  }
  await stage.answer('a');
  assert.equal(await stage.dialled, stage.socket('a'));
  for (const name of names.slice(1)) assert.equal(stage.socket(name).destroyed, true, name);
});

test('an address that refuses passes its time on to the others at once', async () => {
  const stage = new Stage(['a', 'b', 'c']);
  await settled();
  await stage.refuse('a');
  assert.deepEqual(stage.begun, ['a', 'b']);
  await stage.clock.advance(2_499);
  assert.deepEqual(stage.begun, ['a', 'b']);
  await stage.clock.advance(1);
  assert.deepEqual(stage.begun, ['a', 'b', 'c']);
});

test('a standby site that refuses takes no time from the first', async () => {
  const stage = new Stage(['a', 'b']);
  await stage.clock.advance(2_500);
  await stage.refuse('b');
  await stage.clock.advance(2_400);
  await stage.answer('a');
  assert.equal(await stage.dialled, stage.socket('a'));
});

test('all refuse: the reasons of all, without waiting', async () => {
  const stage = new Stage(['a', 'b']);
  await settled();
  await stage.refuse('a');
  await stage.refuse('b');
  await assert.rejects(stage.dialled, { message: 'a refuses; b refuses' });
  assert.equal(stage.clock.pending, 0);
});

test('one that answers after another has is closed, and nobody gets it', async () => {
  const stage = new Stage(['a', 'b']);
  await stage.clock.advance(2_500);
  await stage.answer('b');
  await stage.answer('a');
  assert.equal(await stage.dialled, stage.socket('b'));
  assert.equal(stage.socket('a').destroyed, true);
  assert.equal(stage.socket('b').destroyed, false);
});

test('one that answers after the deadline is closed', async () => {
  const stage = new Stage(['a', 'b']);
  await stage.clock.advance(5_000);
  await assert.rejects(stage.dialled, { message: 'no connection within 5000 ms' });
  await stage.answer('a');
  for (const name of ['a', 'b']) assert.equal(stage.socket(name).destroyed, true);
  assert.equal(stage.clock.pending, 0);
});

test('time that the name server took is not shared out', async () => {
  const found = Promise.withResolvers<readonly string[]>();
  const stage = new Stage(found.promise);
  await stage.clock.advance(3_000);
  found.resolve(['a', 'b']);
  await stage.clock.advance(999);
  assert.deepEqual(stage.begun, ['a']);
  await stage.clock.advance(1);
  assert.deepEqual(stage.begun, ['a', 'b']);
});

test('a machine clock that is set meanwhile changes no share', async () => {
  const stage = new Stage(['a', 'b', 'c']);
  await settled();
  stage.clock.jump(86_400_000);
  await stage.refuse('a');
  await stage.clock.advance(2_499);
  assert.deepEqual(stage.begun, ['a', 'b']);
});

test('a name server that never answers: an end in time, and nothing is opened later', async () => {
  const found = Promise.withResolvers<readonly string[]>();
  const stage = new Stage(found.promise);
  await stage.clock.advance(5_000);
  await assert.rejects(stage.dialled, { message: 'no connection within 5000 ms' });
  found.resolve(['a']);
  await settled();
  assert.deepEqual(stage.begun, []);
});

test('a name without an address, and one that the name server does not know', async () => {
  await assert.rejects(new Stage([]).dialled, { message: 'the host has no address' });
  await assert.rejects(new Stage(Promise.reject(new Error('ENOTFOUND'))).dialled, { message: 'ENOTFOUND' });
});

test('an abort closes every attempt, begins no other, and leaves no timer', async () => {
  const stage = new Stage(['a', 'b', 'c']);
  await stage.clock.advance(2_000);
  stage.abort();
  await assert.rejects(stage.dialled, { message: 'the terminal ends' });
  for (const name of ['a', 'b']) assert.equal(stage.socket(name).destroyed, true);
  assert.deepEqual(stage.begun, ['a', 'b']);
  assert.equal(stage.clock.pending, 0);
});

test('the families take turns, and no address is tried twice', () => {
  assert.deepEqual(inTurn(['::1', '::2', '::1', '10.0.0.1', '::3', '10.0.0.2']), [
    '::1',
    '10.0.0.1',
    '::2',
    '10.0.0.2',
    '::3',
  ]);
  assert.deepEqual(inTurn([]), []);
});

async function listen(t: TestContext, host: string, port = 0): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  server.listen(port, host);
  await once(server, 'listening');
  t.after(() => server.close());
  return server;
}

test('on real sockets: a closed address first, then one that listens', async (t) => {
  const server = await listen(t, '127.0.0.3');
  const { port } = server.address() as AddressInfo;
  const lookup = async () => ['127.0.0.2', '127.0.0.3'];
  const socket = await dialHost({ ...target, port }, systemClock, new AbortController().signal, { lookup });
  assert.equal(socket.remoteAddress, '127.0.0.3');
  socket.destroy();
});

test('on real sockets: a name of the system, whichever family listens', async (t) => {
  const server = await listen(t, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  const socket = await dialHost({ ...target, host: 'localhost', port }, systemClock, new AbortController().signal);
  assert.equal(socket.remotePort, port);
  socket.destroy();
});

/** Listens with a queue of one and accepts nothing until it is let go on. */
const busyListener = `
  const { workerData: gate, parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => socket.on('error', () => undefined));
  server.listen({ host: '127.0.0.2', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(gate, 0, 0));
  });
`;

test('a lost first packet, as on a slow line, beside a closed standby site', { timeout: 20_000 }, async (t) => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(busyListener, { eval: true, workerData: gate });
  t.after(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = [0, 1].map(() => connect(port, '127.0.0.2').on('error', () => undefined));
  t.after(() => fillers.forEach((each) => each.destroy()));
  await Promise.all(fillers.map((each) => once(each, 'connect')));
  const lookup = async () => ['127.0.0.2', '127.0.0.3'];
  const begunMs = performance.now();
  const { signal } = new AbortController();
  const dialled = dialHost({ ...target, port, connectTimeoutMs: 10_000 }, systemClock, signal, { lookup });
  // The first packet is lost meanwhile. The system sends it again after one second, and after two more.
  await pause(400);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  const socket = await dialled;
  assert.equal(socket.remoteAddress, '127.0.0.2');
  assert.ok(performance.now() - begunMs > 900, 'the first packet was not lost');
  socket.destroy();
});

/** A host with TLS 1.3. Resolves with the terminal's connection to it, and with what the host may send below TLS. */
async function dialledSecurely(t: TestContext) {
  const own = selfSign(['127.0.0.1']);
  const server = createSecureServer({ ...own, ciphers: suite, minVersion: 'TLSv1.3' });
  let secret: Buffer = Buffer.alloc(0);
  server.on('keylog', (line: Buffer) => (secret = secretIn(line, 'SERVER_TRAFFIC_SECRET_0') ?? secret));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // Node sends two tickets before anything else, each in a record of this secret.
  const raw = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const secure = { host: '127.0.0.1', port, secure: { ca: own.cert } };
  const socket = await dialHost({ ...target, ...secure }, systemClock, new AbortController().signal);
  t.after(() => socket.destroy());
  const [below] = await raw;
  await once(socket.resume(), 'session');
  await new Promise(setImmediate);
  return { socket, send: (count: number) => below.write(keyUpdates(secret, count, 2)) };
}

test('a host that sends KeyUpdates and nothing else is left', async (t) => {
  const { socket, send } = await dialledSecurely(t);
  const failed = new Promise<Error>((resolve) => socket.once('error', resolve));
  send(2_000);
  assert.deepEqual(await failed, new MeterFault('the other side sends TLS records without data'));
});

test('nothing else in src opens a connection to another machine by itself', async () => {
  const own: string[] = [];
  for await (const file of glob('src/**/*.ts')) {
    // The announcement connects to its own machine to read its certificate. A trace uses a local socket.
    if (['src/admin/announcement.ts', 'src/admin/trace/trace-client.ts'].includes(file)) continue;
    if (file.startsWith('src/base/dial/')) continue;
    const text = await readFile(file, 'utf8');
    if (/import \{[^}]*\bconnect\b[^}]*\} from 'node:(?:net|tls)'/.test(text)) own.push(file);
  }
  assert.deepEqual(own, []);
});
