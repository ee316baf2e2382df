import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { compileAddon } from '../../build/addons.ts';
import { openSupervisor } from '../../src/observability/supervisor.ts';
import { Watchdog } from '../../src/observability/watchdog.ts';
import { NotifySocket } from './notify-socket.ts';

const fail = (error: unknown) => assert.fail(String(error));
const dir = await mkdtemp(path.join(tmpdir(), 'poid-supervisor-'));
after(() => rm(dir, { recursive: true }));
const addon = pathToFileURL(path.join(dir, 'sd-notify.node'));
await compileAddon('sd-notify', path.join(dir, 'sd-notify.node'), process.arch === 'arm64' ? 'arm64' : 'x64');

/** Every promise that is resolved by now was heard. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const options = { addon, onMissing: fail, onFailure: fail };

describe('sd_notify', () => {
  test('tells each thing in a datagram of its own, in order', async (t) => {
    const socket = await NotifySocket.open(t);
    const supervisor = openSupervisor({ NOTIFY_SOCKET: socket.address }, options);
    supervisor.status('waiting for the card reader');
    supervisor.ready();
    supervisor.stopping(90_000);
    // What was told last must not be lost with the process.
    supervisor.close();
    const stopping = ['EXTEND_TIMEOUT_USEC=90000000', 'STOPPING=1'];
    assert.deepEqual(await socket.times(4), ['STATUS=waiting for the card reader', 'READY=1', ...stopping]);
  });

  test('reaches an abstract socket', async (t) => {
    const name = `poid-test-${process.pid}`;
    const socket = await NotifySocket.at(`@${name}`, t);
    const supervisor = openSupervisor({ NOTIFY_SOCKET: socket.address }, options);
    t.after(() => supervisor.close());
    supervisor.ready();
    assert.deepEqual(await socket.times(1), ['READY=1']);
  });

  for (const environment of [{}, { NOTIFY_SOCKET: '' }, { WATCHDOG_USEC: '1000' }]) {
    test(`nobody is told with ${JSON.stringify(environment)}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] });
      const supervisor = openSupervisor(environment, options);
      supervisor.status('x');
      supervisor.ready();
      supervisor.stopping(1);
      t.mock.timers.tick(60_000);
      supervisor.close();
    });
  }

  for (const [what, address, why] of [
    ['gone', '/nonexistent/notify', /ENOENT/],
    ['longer than an address may be', `/${'x'.repeat(200)}`, /ENAMETOOLONG/],
  ] as const) {
    test(`a socket that is ${what} is a line in the log, not the end`, async (t) => {
      const failures: unknown[] = [];
      const heard = Promise.withResolvers<void>();
      const supervisor = openSupervisor(
        { NOTIFY_SOCKET: address },
        {
          ...options,
          onFailure: (error) => {
            failures.push(error);
            heard.resolve();
          },
        },
      );
      t.after(() => supervisor.close());
      supervisor.ready();
      await heard.promise;
      assert.equal(failures.length, 1);
      assert.match(String(failures[0]), why);
    });
  }

  test('what systemd has no room for comes later, in order, and is not kept for ever', async (t) => {
    const socket = await NotifySocket.open(t);
    const failures: Error[] = [];
    const supervisor = openSupervisor(
      { NOTIFY_SOCKET: socket.address },
      { ...options, onFailure: (error) => failures.push(error) },
    );
    t.after(() => supervisor.close());
    await socket.stop();
    // The kernel's queue, and what is held here (unix(7)).
    const queued = Number(readFileSync('/proc/sys/net/unix/max_dgram_qlen', 'utf8'));
    const texts = Array.from({ length: queued + 500 }, (_, number) => `STATUS=${number}`);
    for (const text of texts) supervisor.status(text.slice('STATUS='.length));
    assert.match(failures[0]?.message ?? '', /takes no more/);
    const taken = texts.length - failures.length;
    assert.ok(taken > queued, `${taken} of ${queued}`);
    socket.resume();
    assert.deepEqual(await socket.times(taken), texts.slice(0, taken));
    supervisor.ready();
    await socket.until((datagram) => datagram === 'READY=1');
  });

  for (const [what, file, why] of [
    ['missing', 'absent.node', /absent\.node/],
    ['none for this machine', 'other.node', /invalid ELF header/],
  ] as const) {
    test(`an addon that is ${what} is told once, and the service goes on`, async () => {
      if (file === 'other.node')
        await writeFile(path.join(dir, file), 'no ELF file, but as long as the header of one has to be.'.repeat(4));
      const missing: Error[] = [];
      const supervisor = openSupervisor(
        { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '2000' },
        { ...options, addon: pathToFileURL(path.join(dir, file)), onMissing: (error) => missing.push(error) },
      );
      supervisor.status('x');
      supervisor.ready();
      supervisor.stopping(1);
      supervisor.close();
      assert.equal(missing.length, 1);
      assert.match(missing[0]?.message ?? '', why);
      assert.doesNotMatch(missing[0]?.message ?? '', /\n/);
    });
  }
});

describe('the watchdog', () => {
  test('is fed at once and at half of the time that the unit allows, until the end', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const socket = await NotifySocket.open(t);
    const supervisor = openSupervisor({ NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '30000000' }, options);
    t.mock.timers.tick(14_999);
    supervisor.status('before');
    assert.deepEqual(await socket.times(2), ['WATCHDOG=1', 'STATUS=before']);
    t.mock.timers.tick(1);
    assert.deepEqual((await socket.times(3))[2], 'WATCHDOG=1');
    t.mock.timers.tick(30_000);
    assert.equal((await socket.times(5)).filter((each) => each === 'WATCHDOG=1').length, 4);
    supervisor.close();
    t.mock.timers.tick(60_000);
    // Datagrams keep their order: whatever had been fed would stand before this one.
    openSupervisor({ NOTIFY_SOCKET: socket.address }, options).ready();
    assert.equal((await socket.times(6))[5], 'READY=1');
  });

  test('is fed only while what is watched answers, once for each answer, and at once for a late one', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let fed = 0;
    const watchdog = new Watchdog(() => (fed += 1), 1_000);
    t.after(() => watchdog.stop());
    assert.equal(fed, 1, 'before anything is watched');
    const asked: PromiseWithResolvers<void>[] = [];
    watchdog.watch(() => {
      asked.push(Promise.withResolvers<void>());
      return asked.at(-1)!.promise;
    });
    const answer = async (number: number) => {
      asked[number]?.resolve();
      await settled();
    };
    await answer(0);
    t.mock.timers.tick(1_000);
    assert.deepEqual([fed, asked.length], [2, 2]);
    // The disk hangs: nothing more is asked, and nothing is fed.
    t.mock.timers.tick(10_000);
    assert.deepEqual([fed, asked.length], [2, 2]);
    await answer(1);
    assert.deepEqual([fed, asked.length], [3, 3], 'it was late, and is fed at once');
    t.mock.timers.tick(1_000);
    assert.deepEqual([fed, asked.length], [3, 3], 'the same answer does not feed twice');
    asked[2]?.reject(new Error('the journal is broken'));
    await settled();
    t.mock.timers.tick(1_000);
    assert.equal(fed, 3, 'a refusal is no sign of life');
  });

  test('is ours when it names this process', async (t) => {
    const socket = await NotifySocket.open(t);
    const environment = { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '2000', WATCHDOG_PID: String(process.pid) };
    const supervisor = openSupervisor(environment, options);
    const [first] = await socket.times(1);
    // It is fed each millisecond: hooks run in their order, and the socket's would take its directory first.
    supervisor.close();
    assert.equal(first, 'WATCHDOG=1');
  });

  for (const environment of [
    {},
    { WATCHDOG_USEC: '' },
    { WATCHDOG_USEC: '0' },
    { WATCHDOG_USEC: '-5' },
    { WATCHDOG_USEC: 'soon' },
    { WATCHDOG_USEC: '2000', WATCHDOG_PID: String(process.pid + 1) },
  ]) {
    test(`nothing is fed with ${JSON.stringify(environment)}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] });
      const socket = await NotifySocket.open(t);
      const supervisor = openSupervisor({ NOTIFY_SOCKET: socket.address, ...environment }, options);
      t.after(() => supervisor.close());
      t.mock.timers.tick(3_600_000);
      supervisor.ready();
      // Datagrams keep their order: whatever had been fed would stand before this one.
      assert.deepEqual(await socket.times(1), ['READY=1']);
    });
  }
});
