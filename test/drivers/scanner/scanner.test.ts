import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type LineScannerOptions, lineScanner } from '../../../drivers/scanner/line/scanner.ts';
import { triggerBytes } from '../../../drivers/scanner/line/trigger.ts';
import type { CodeScanner, ScanOutcome } from '../../../src/base/ports/code-scanner.ts';
import { DeviceError, type DeviceErrorCode } from '../../../src/base/ports/device.ts';
import { ScriptedTransport } from './scripted-transport.ts';

const fixtures: {
  readonly trigger: readonly { readonly name: string; readonly hex: string }[];
  readonly lines: readonly { readonly name: string; readonly hex: string; readonly code?: string }[];
} = JSON.parse(readFileSync(new URL('../../../fixtures/frames/scanner.json', import.meta.url), 'utf8'));
const [on = '', off = ''] = fixtures.trigger.map(({ hex }) => hex);

const lineGapMs = 500;

interface Stage {
  readonly transport: ScriptedTransport;
  readonly scanner: CodeScanner;
  readonly clock: { ms: number };
}

function stage(options: Partial<LineScannerOptions> = {}): Stage {
  const clock = {
    ms: 0,
    now: () => new Date(clock.ms),
    setTimeout: () => assert.fail('no timers'),
    clearTimeout: () => {},
  };
  const transport = new ScriptedTransport();
  return { transport, scanner: lineScanner(transport, { clock, lineGapMs, ...options }), clock };
}

const never = new AbortController().signal;
const code = (text: string): ScanOutcome => ({ kind: 'code', text });
const tryAgain: ScanOutcome = { kind: 'tryAgain' };
const cancelled: ScanOutcome = { kind: 'cancelled' };

/** 'waiting' when it has not settled though everything that can happen without a further byte has happened. */
async function sofar(scan: Promise<ScanOutcome>): Promise<ScanOutcome | 'waiting'> {
  await setImmediate();
  return Promise.race([scan, Promise.resolve('waiting' as const)]);
}

const rejects = (scan: Promise<unknown>, expected: DeviceErrorCode) =>
  assert.rejects(scan, (error) => error instanceof DeviceError && error.code === expected);

for (const { name, hex, code: text } of fixtures.lines) {
  test(`a line: ${name}, whole and byte by byte`, async () => {
    const { transport, scanner } = stage();
    const bytes = Buffer.from(hex, 'hex');
    const expected = text === undefined ? tryAgain : code(text);
    const whole = scanner.scan(never);
    transport.emit(bytes);
    assert.deepEqual(await whole, expected);
    const split = scanner.scan(never);
    for (const byte of bytes) transport.emit(Uint8Array.of(byte));
    assert.deepEqual(await split, expected);
  });
}

test('nothing is a code before its line ends', async () => {
  const { transport, scanner } = stage();
  const scan = scanner.scan(never);
  transport.emit('\r\n\r\n28943186');
  assert.equal(await sofar(scan), 'waiting');
  transport.emit('9362714645\r');
  assert.deepEqual(await scan, code('289431869362714645'));
});

test('512 characters are a code, one more is none, whatever it is cut into', async () => {
  const longest = 'A'.repeat(512);
  for (const size of [1, 7, 512, 5000]) {
    const { transport, scanner } = stage();
    const emit = (text: string) => {
      for (let at = 0; at < text.length; at += size) transport.emit(text.slice(at, at + size));
    };
    const fits = scanner.scan(never);
    emit(`${longest}\r\n`);
    assert.deepEqual(await fits, code(longest));
    for (const more of ['A', 'A'.repeat(4000)]) {
      const tooLong = scanner.scan(never);
      emit(longest + more);
      assert.equal(await sofar(tooLong), 'waiting');
      emit('\r\n');
      assert.deepEqual(await tooLong, tryAgain);
      const next = scanner.scan(never);
      emit('next\r\n');
      assert.deepEqual(await next, code('next'));
    }
  }
});

test('a line without an end takes no room', { timeout: 30_000 }, async () => {
  const { transport, scanner } = stage();
  const scan = scanner.scan(never);
  collectGarbage();
  const limit = process.memoryUsage().arrayBuffers + 8 * 1024 * 1024;
  const chunk = Buffer.alloc(64 * 1024, 0x41);
  for (let i = 0; i < 1000; i++) {
    transport.emit(chunk);
    await setImmediate();
  }
  // Another thread frees what the collector gives up, in its own time.
  let tries = 0;
  do {
    collectGarbage();
    await setImmediate();
  } while (process.memoryUsage().arrayBuffers > limit && ++tries < 1000);
  assert.ok(process.memoryUsage().arrayBuffers <= limit);
  transport.emit('\n');
  assert.deepEqual(await scan, tryAgain);
});

test('a code that was read before the scan is dropped, and so is the rest of one that began before it', async () => {
  const { transport, scanner } = stage();
  transport.emit('before\r\n');
  const first = scanner.scan(never);
  assert.equal(await sofar(first), 'waiting');
  transport.emit('first\rsecond\rhalf of the th');
  assert.deepEqual(await first, code('first'));
  const third = scanner.scan(never);
  transport.emit('ird\r');
  assert.equal(await sofar(third), 'waiting');
  transport.emit('fourth\r');
  assert.deepEqual(await third, code('fourth'));
});

test('the line feed of the code before begins no line', async () => {
  const { transport, scanner } = stage();
  const first = scanner.scan(never);
  transport.emit('first\r');
  assert.deepEqual(await first, code('first'));
  const second = scanner.scan(never);
  transport.emit('\nsecond\r\n');
  assert.deepEqual(await second, code('second'));
});

test('a signal ends it; what is read then is dropped, even if its bytes came before', async () => {
  const { transport, scanner } = stage();
  const stop = new AbortController();
  const scan = scanner.scan(stop.signal);
  transport.emit('late');
  stop.abort();
  transport.emit('r\r\n');
  assert.deepEqual(await scan, cancelled);
  const next = scanner.scan(never);
  assert.equal(await sofar(next), 'waiting');
  transport.emit('next\r\n');
  assert.deepEqual(await next, code('next'));
  assert.deepEqual(await scanner.scan(AbortSignal.abort()), cancelled);
});

test('half a line that went quiet is no part of what comes later', async () => {
  const { transport, scanner, clock } = stage();
  transport.emit('noise');
  clock.ms += lineGapMs + 1;
  const first = scanner.scan(never);
  transport.emit('first\r');
  assert.deepEqual(await first, code('first'));

  const second = scanner.scan(never);
  transport.emit('noise');
  clock.ms += lineGapMs + 1;
  transport.emit('second\r');
  assert.deepEqual(await second, code('second'));

  const third = scanner.scan(never);
  transport.emit('th');
  clock.ms += lineGapMs;
  transport.emit('ird\r');
  assert.deepEqual(await third, code('third'), 'a slow one is still one');
});

test('the trigger goes on with a scan and off when it settles, however it does', async () => {
  const { transport, scanner } = stage({ trigger: triggerBytes({ on, off }) });
  assert.deepEqual(transport.writes.splice(0), ['16550d'], 'an earlier run may have left it on');
  const read = scanner.scan(never);
  assert.deepEqual(transport.writes, ['16540d']);
  transport.emit('code\r');
  await read;
  assert.deepEqual(transport.writes.splice(0), ['16540d', '16550d']);

  const stop = new AbortController();
  const aborted = scanner.scan(stop.signal);
  stop.abort();
  await aborted;
  assert.deepEqual(transport.writes.splice(0), ['16540d', '16550d']);

  await scanner.scan(stop.signal);
  assert.deepEqual(transport.writes, [], 'not for a scan that never began');

  const closing = scanner.scan(never);
  await scanner.close();
  assert.deepEqual(await closing, cancelled);
  assert.deepEqual(transport.writes, ['16540d', '16550d'], 'dark before the path is closed');
});

test('close waits until the scanner has been told to stop', async () => {
  const { transport, scanner } = stage({ trigger: triggerBytes({ on, off }) });
  const scan = scanner.scan(never);
  const gate = Promise.withResolvers<void>();
  transport.onWrite = () => gate.promise;
  const closed = scanner.close();
  await scan;
  await setImmediate();
  assert.equal(transport.closed, false);
  gate.resolve();
  await closed;
  assert.equal(transport.closed, true);
});

test('without a trigger nothing is written', async () => {
  const { transport, scanner } = stage();
  const scan = scanner.scan(never);
  transport.emit('code\r');
  await scan;
  assert.deepEqual(transport.writes, []);
});

test('a trigger is hexadecimal', () => {
  assert.deepEqual(triggerBytes({ on: '16540D', off: '16550d' }), {
    on: Uint8Array.of(0x16, 0x54, 0x0d),
    off: Uint8Array.of(0x16, 0x55, 0x0d),
  });
  for (const wrong of ['', '1', '16 54', 'XX', '00'.repeat(17)]) {
    assert.throws(() => triggerBytes({ on: wrong, off }), RangeError);
    assert.throws(() => triggerBytes({ on, off: wrong }), RangeError);
  }
});

test('a path that goes, or takes no trigger, ends the scan as vanished', async () => {
  const { transport, scanner } = stage({ trigger: triggerBytes({ on, off }) });
  const scan = scanner.scan(never);
  transport.emit('half');
  transport.become('absent');
  await rejects(scan, 'vanished');
  await rejects(scanner.scan(never), 'absent');
  assert.deepEqual(transport.writes.splice(0), ['16550d', '16540d'], 'no trigger for what is gone');

  transport.become('ready');
  assert.deepEqual(transport.writes, ['16550d'], 'it may have stayed on');
  const again = scanner.scan(never);
  transport.emit('whole\r');
  assert.deepEqual(await again, code('whole'));

  transport.onWrite = () => {
    throw new DeviceError('refused', 'too much is waiting');
  };
  await rejects(scanner.scan(never), 'vanished');
});

test('a trigger that hangs keeps no code back', async () => {
  const { transport, scanner } = stage({ trigger: triggerBytes({ on, off }) });
  transport.onWrite = () => new Promise(() => {});
  const scan = scanner.scan(never);
  transport.emit('code\r');
  assert.deepEqual(await scan, code('code'));
});

test('one scan at a time', async () => {
  const { transport, scanner } = stage();
  const scan = scanner.scan(never);
  await rejects(scanner.scan(never), 'refused');
  transport.emit('code\r');
  assert.deepEqual(await scan, code('code'));
});

test('its state is the path', async () => {
  const { transport, scanner } = stage();
  const states: string[] = [];
  const stop = scanner.onState((state) => states.push(state));
  assert.equal(scanner.name, 'line scanner at /dev/scanner-under-test');
  assert.equal(scanner.state, 'ready');
  transport.become('absent');
  transport.become('ready');
  stop();
  transport.become('connecting');
  assert.deepEqual(states, ['absent', 'ready']);
});

test('close is final and leaves nothing behind', async () => {
  const { transport, scanner } = stage();
  const scan = scanner.scan(never);
  await scanner.close();
  assert.deepEqual(await scan, cancelled);
  await rejects(scanner.scan(never), 'absent');
  assert.deepEqual([transport.closed, transport.listeners, scanner.state], [true, 0, 'absent']);
});

/** What is kept, and not what waits to be thrown away. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
