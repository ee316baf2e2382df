import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { supervisor } from '../../src/supervision/supervisor.ts';
import { NotifySocket } from './notify-socket.ts';

const fail = (error: unknown) => assert.fail(String(error));

describe('sd_notify', () => {
  test('tells each thing in a datagram of its own, in order', async (t) => {
    const socket = await NotifySocket.open(t);
    const tell = await supervisor({ NOTIFY_SOCKET: socket.path }, fail);
    tell.status('waiting for the card reader');
    tell.ready();
    tell.stopping(90_000);
    // What was told last must not be lost with the process.
    tell.close();
    const stopping = ['EXTEND_TIMEOUT_USEC=90000000', 'STOPPING=1'];
    assert.deepEqual(await socket.times(4), ['STATUS=waiting for the card reader', 'READY=1', ...stopping]);
  });

  test('reaches an abstract socket', async (t) => {
    const name = `poid-test-${process.pid}`;
    const socket = NotifySocket.abstract(name, t);
    const tell = await supervisor({ NOTIFY_SOCKET: `@${name}` }, fail);
    t.after(() => tell.close());
    tell.ready();
    assert.deepEqual(await socket.times(1), ['READY=1']);
  });

  for (const environment of [{}, { NOTIFY_SOCKET: '' }, { WATCHDOG_USEC: '1000' }]) {
    test(`nobody is told with ${JSON.stringify(environment)}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] });
      const tell = await supervisor(environment, fail);
      tell.status('x');
      tell.ready();
      tell.stopping(1);
      t.mock.timers.tick(60_000);
      tell.close();
    });
  }

  for (const [what, path] of [
    ['gone', '/nonexistent/notify'],
    ['longer than an address may be', `/${'x'.repeat(200)}`],
  ] as const) {
    test(`a socket that is ${what} is a line in the log, not the end`, async (t) => {
      const failures: unknown[] = [];
      const heard = Promise.withResolvers<void>();
      const tell = await supervisor({ NOTIFY_SOCKET: path }, (error) => {
        failures.push(error);
        heard.resolve();
      });
      t.after(() => tell.close());
      tell.ready();
      await heard.promise;
      assert.equal(failures.length, 1);
      assert.ok(failures[0] instanceof Error);
    });
  }
});

describe('the watchdog', () => {
  test('is fed at half of the time that the unit allows, until the end', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const socket = await NotifySocket.open(t);
    const tell = await supervisor({ NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '30000000' }, fail);
    t.mock.timers.tick(14_999);
    tell.status('before');
    assert.deepEqual(await socket.times(1), ['STATUS=before']);
    t.mock.timers.tick(1);
    assert.deepEqual(await socket.times(2), ['STATUS=before', 'WATCHDOG=1']);
    t.mock.timers.tick(30_000);
    assert.equal((await socket.times(4)).filter((each) => each === 'WATCHDOG=1').length, 3);
    tell.close();
    t.mock.timers.tick(60_000);
    assert.equal(socket.told.length, 4);
  });

  test('is ours when it names this process', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const socket = await NotifySocket.open(t);
    const environment = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '2000', WATCHDOG_PID: String(process.pid) };
    const tell = await supervisor(environment, fail);
    t.after(() => tell.close());
    t.mock.timers.tick(1);
    assert.deepEqual(await socket.times(1), ['WATCHDOG=1']);
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
      const tell = await supervisor({ NOTIFY_SOCKET: socket.path, ...environment }, fail);
      t.after(() => tell.close());
      t.mock.timers.tick(3_600_000);
      tell.ready();
      // Datagrams keep their order: whatever had been fed would stand before this one.
      assert.deepEqual(await socket.times(1), ['READY=1']);
    });
  }
});
