import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { LineTrace } from '../../src/observability/line-trace.ts';
import { type AuditedTrace, TraceSocket } from '../../src/observability/trace-socket.ts';
import { ManualClock } from '../support/manual-clock.ts';

const limit = { timeout: 10_000 };

/** A client that closes its half of the connection only on request. */
class Client {
  readonly #socket: Socket;
  #text = '';

  constructor(file: string, request: string) {
    this.#socket = connect({ path: file, allowHalfOpen: true });
    this.#socket.on('error', () => undefined).on('data', (chunk) => (this.#text += chunk.toString()));
    this.#socket.write(request);
  }

  /** The received lines, once there are `count` of them. */
  async lines(count: number): Promise<readonly string[]> {
    while (this.#text.split('\n').length <= count) await once(this.#socket, 'data');
    return this.#text.trim().split('\n');
  }

  /** Resolves when the terminal has closed both halves and accepts no byte any more. */
  async closed(): Promise<void> {
    while (!this.#socket.destroyed) {
      this.#socket.write('.');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

const requestFor = (seconds: number, more = {}) => `${JSON.stringify({ seconds, user: 'root', uid: 0, ...more })}\n`;

async function opened(t: TestContext, keep: (entry: AuditedTrace) => Promise<void> = async () => undefined) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-trace-socket-'));
  const file = path.join(dir, 'trace.sock');
  const clock = new ManualClock();
  const trace = new LineTrace(clock);
  const audited: AuditedTrace[] = [];
  const failures: unknown[] = [];
  const audit = async (entry: AuditedTrace) => {
    await keep(entry);
    audited.push(entry);
  };
  const onFailure = (error: unknown) => void failures.push(error);
  const server = await TraceSocket.open(file, { trace, acquirers: () => ['EDC'], clock, audit, onFailure });
  t.after(async () => {
    const closed = server.close();
    await clock.advance(10_000);
    await closed;
    await rm(dir, { recursive: true });
  });
  const ask = (request: string) => new Client(file, request);
  return { file, clock, trace, audited, failures, ask, begin: (seconds: number) => ask(requestFor(seconds)) };
}

test('a client that closes after its own trace does not end that of another', limit, async (t) => {
  const { clock, trace, audited, begin } = await opened(t);
  const first = begin(1);
  await first.lines(1);
  await clock.advance(1_000);
  assert.match((await first.lines(2))[1] ?? '', /"ended":"time"/);
  const second = begin(60);
  await second.lines(1);
  first.destroy();
  // A third request is answered after the first connection has closed.
  const third = begin(1);
  assert.match((await third.lines(1))[0] ?? '', /another trace is under way/);
  assert.ok(trace.isRunning);
  second.destroy();
  while (audited.length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    audited.map(({ state, reason }) => reason ?? state),
    ['begun', 'time', 'begun', 'command'],
  );
});

test('clients that keep their connections after the end keep nobody from a trace', limit, async (t) => {
  const { clock, begin } = await opened(t);
  const first = begin(1);
  await first.lines(1);
  const others = [begin(1), begin(1), begin(1)];
  for (const each of others) assert.match((await each.lines(1))[0] ?? '', /refused/);
  await clock.advance(1_000);
  await first.lines(2);
  const closed = Promise.all([first, ...others].map((each) => each.closed()));
  await clock.advance(3_000);
  await closed;
  const next = begin(1);
  assert.match((await next.lines(1))[0] ?? '', /"begun"/);
});

test('the socket is for its own user alone', limit, async (t) => {
  const { file } = await opened(t);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('what is no request begins nothing, and is refused', limit, async (t) => {
  const { ask, audited, trace } = await opened(t);
  for (const request of [
    '\n',
    'trace\n',
    '[]\n',
    `${'['.repeat(1_000)}\n`,
    requestFor(0),
    requestFor(3_601),
    requestFor(1.5),
    requestFor(1, { acquirer: '../EDC' }),
    requestFor(1, { user: '' }),
    requestFor(1, { more: 1 }),
    requestFor(1, { user: 'x'.repeat(65) }),
    'x'.repeat(1_025),
  ]) {
    const client = ask(request);
    assert.match((await client.lines(1))[0] ?? '', /"refused":"this is no request/, request.slice(0, 60));
    client.destroy();
  }
  assert.match((await ask(requestFor(1, { acquirer: 'AMEX' })).lines(1))[0] ?? '', /no acquirer AMEX/);
  assert.equal(trace.isRunning, false);
  assert.deepEqual(audited, []);
});

test('a client that does not end its request is left after five seconds', limit, async (t) => {
  const { ask, clock, begin } = await opened(t);
  const silent = ask('{"seconds":');
  // Its bytes have come before those of this one are answered.
  await begin(0).lines(1);
  await clock.advance(5_000);
  await silent.closed();
});

test('nothing is recorded without its entry in the record', limit, async (t) => {
  const { begin, trace, audited, failures } = await opened(t, () => Promise.reject(new Error('the disk is full')));
  assert.match((await begin(1).lines(1))[0] ?? '', /"refused":"nothing is recorded/);
  assert.equal(trace.isRunning, false);
  assert.deepEqual([audited.length, failures.length], [0, 1]);
});
