import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { CardDecision, CollectOutcome } from '../../../../src/base/ports/card-reader.ts';
import { becomes } from '../../../support/device-state.ts';
import { armed, cardNamed, openStage, openThread, rejects, request, type Stage } from './stage.ts';

const approved: CardDecision = { kind: 'approved', responseCode: '00', issuerData: new Map() };
const limit = { timeout: 60_000 };

async function collected(stage: Stage, way: 'tap' | 'insert'): Promise<CollectOutcome> {
  const waits = armed(stage.device);
  const outcome = stage.reader.collect(request, new AbortController().signal);
  outcome.catch(() => {});
  await waits;
  void stage.device[way](cardNamed('visa'));
  return outcome;
}

async function paid(stage: Stage): Promise<void> {
  await becomes(stage.reader, 'ready');
  assert.equal((await collected(stage, 'tap')).kind, 'card');
  stage.device.remove();
  await stage.reader.show?.(approved);
  const chip = await collected(stage, 'insert');
  assert.ok(chip.kind === 'card' && chip.card.awaitsDecision, JSON.stringify(chip.kind));
  assert.equal(chip.card.encrypted.ksn.length, 10);
  assert.equal((await stage.reader.complete?.(approved))?.kind, 'agreed');
  stage.device.remove();
}

/** The current thread ends, whatever it is at. */
async function kill({ workers, reader }: Stage): Promise<void> {
  const gone = becomes(reader, 'absent');
  await workers.at(-1)?.terminate();
  await gone;
}

for (const model of ['neo2', 'mms'] as const) {
  test(`${model}: pays from a thread, which alone has priority, and is closed`, limit, async (t) => {
    const stage = await openStage(t, model);
    await paid(stage);
    // Whoever runs the tests may not be allowed to.
    const mayRaise = process.getuid?.() === 0;
    const raised = threads().filter(({ nice }) => nice < getPriority());
    if (mayRaise && getPriority() > -10) assert.ok(raised.length > 0);
    for (const { name } of raised) assert.equal(name, 'reader');
    assert.deepEqual(stage.faults, []);
    await stage.reader.close();
    assert.equal(stage.reader.state, 'absent');
    await rejects(stage.reader.collect(request, new AbortController().signal), 'absent');
  });

  test(`${model}: an abort ends with the reader disarmed, a card that nobody wants is let go`, limit, async (t) => {
    const stage = await openStage(t, model);
    await becomes(stage.reader, 'ready');
    const abort = new AbortController();
    const waits = armed(stage.device);
    const outcome = stage.reader.collect(request, abort.signal);
    await waits;
    abort.abort();
    assert.deepEqual(await outcome, { kind: 'cancelled' });
    assert.equal(stage.device.armed, false, 'told only after it is disarmed');
    await paid(stage);
  });

  test(`${model}: the thread ends in each state: as a reader that was unplugged, and the next payment works`, {
    timeout: 120_000,
  }, async (t) => {
    const before = openTerminals();
    const stage = await openStage(t, model);
    const { device, reader } = stage;
    const signal = new AbortController().signal;
    await becomes(reader, 'ready');

    await kill(stage);
    await rejects(reader.collect(request, signal), 'absent');
    await paid(stage);

    const waits = armed(device);
    const outcome = reader.collect(request, signal);
    outcome.catch(() => {});
    await waits;
    await kill(stage);
    await rejects(outcome, 'vanished');
    await paid(stage);

    const chip = await collected(stage, 'insert');
    assert.ok(chip.kind === 'card' && chip.card.awaitsDecision);
    await kill(stage);
    assert.deepEqual(await reader.complete?.(approved), { kind: 'lost' });
    device.remove();
    await paid(stage);

    assert.ok((await collected(stage, 'insert')).kind === 'card');
    const completion = reader.complete?.(approved) ?? assert.fail('it completes no chip');
    completion.catch(() => {});
    await kill(stage);
    await rejects(completion, 'vanished');
    device.remove();
    await paid(stage);

    assert.ok((await collected(stage, 'tap')).kind === 'card');
    device.remove();
    await reader.show?.(approved);
    const pin = reader.pinPad?.enterPin({ amount: request.amount, timeoutMs: 60_000, again: false }, signal);
    pin?.catch(() => {});
    while (!device.state().pinPad.asking) await setTimeout(1);
    await kill(stage);
    await rejects(pin ?? assert.fail('it has no PIN pad'), 'vanished');
    await paid(stage);

    assert.deepEqual(
      stage.faults.map(([, why]) => why),
      Array(5).fill('failed'),
    );
    assert.match(stage.faults[0]?.[0] ?? '', /its thread has ended/);
    assert.deepEqual(device.unexpected, [], 'each thread has prepared the reader first');
    await reader.close();
    // The simulator keeps one end open itself.
    assert.ok(openTerminals() <= before + 1, 'each thread gave its descriptors back');
  });

  test(`${model}: unplugged while it is armed, and plugged in again`, limit, async (t) => {
    const stage = await openStage(t, model);
    await becomes(stage.reader, 'ready');
    const waits = armed(stage.device);
    const outcome = stage.reader.collect(request, new AbortController().signal);
    outcome.catch(() => {});
    await waits;
    const gone = becomes(stage.reader, 'absent');
    await stage.device.fault({ unplug: true });
    await gone;
    await rejects(outcome, 'vanished');
    assert.deepEqual(
      stage.faults.map(([, why]) => why),
      ['unplugged'],
    );
    await stage.device.fault({ unplug: false });
    await paid(stage);
    assert.equal(stage.workers.length, 1, 'the thread has found it by itself');
  });
}

/** A thread that does what the test says, in place of the reader's. */
function scripted(script: string): Worker {
  const begun = `const { parentPort: port } = require('node:worker_threads'); port.postMessage({ kind: 'begun' });
    port.postMessage({ kind: 'state', state: 'ready' });`;
  return new Worker(begun + script, { eval: true });
}

const nowhere = { path: '/nonexistent/reader', baudRate: 115_200 } as const;

test('a thread that hangs is an absent reader, and another takes its place', limit, async (t) => {
  const scripts = [
    `port.once('message', () => { for (;;); });`,
    `port.on('message', ({ kind }) => kind === 'ping' && port.postMessage({ kind: 'pong', turns: 0 }));`,
  ];
  const stage = openThread(t, 'neo2', nowhere, {
    pingMs: 300,
    closeMs: 50,
    spawn: () => scripted(scripts.shift() ?? ''),
  });
  await becomes(stage.reader, 'ready');
  const outcome = stage.reader.collect(request, new AbortController().signal);
  await rejects(outcome, 'vanished');
  assert.equal(stage.reader.state, 'absent');
  assert.deepEqual(stage.faults, [[`${stage.reader.name}: its thread does not answer`, 'failed']]);
  await becomes(stage.reader, 'ready');
  assert.equal(stage.workers.length, 2);
});

test('its turns are told with its signs of life, and those of a thread that has ended are kept', limit, async (t) => {
  const stage = openThread(t, 'neo2', nowhere, {
    pingMs: 50,
    restartMs: 0,
    spawn: () =>
      scripted(`port.on('message', ({ kind }) => {
        if (kind !== 'ping') throw new Error('out of order');
        port.postMessage({ kind: 'pong', turns: 7 });
        port.postMessage({ kind: 'state', state: 'connecting' });
        port.postMessage({ kind: 'state', state: 'ready' });
      });`),
  });
  await becomes(stage.reader, 'ready');
  assert.equal(stage.reader.turns, 0);
  await becomes(stage.reader, 'connecting');
  assert.equal(stage.reader.turns, 7);
  await becomes(stage.reader, 'ready');
  await rejects(stage.reader.collect(request, new AbortController().signal), 'vanished');
  assert.equal(stage.reader.turns, 7);
  await becomes(stage.reader, 'ready');
  await becomes(stage.reader, 'connecting');
  assert.equal(stage.reader.turns, 14);
});

test('a thread that fails: the cause is told', limit, async (t) => {
  let count = 0;
  const stage = openThread(t, 'neo2', nowhere, {
    restartMs: 60_000,
    spawn: () => scripted(`port.once('message', () => { throw new Error('out of order ${++count}'); });`),
  });
  await becomes(stage.reader, 'ready');
  await rejects(stage.reader.collect(request, new AbortController().signal), 'vanished');
  assert.deepEqual(stage.faults, [[`${stage.reader.name}: its thread has failed: out of order 1`, 'failed']]);
});

test('a close is bounded, whatever the thread does', limit, async (t) => {
  const stage = openThread(t, 'neo2', nowhere, {
    closeMs: 50,
    spawn: () => scripted(`port.once('message', () => { for (;;); });`),
  });
  await becomes(stage.reader, 'ready');
  await stage.reader.close();
  assert.equal(stage.reader.state, 'absent');
  assert.deepEqual(stage.faults, [], 'what was closed has not failed');
});

/** Answers a collect with a chip at once, and says what crosses. */
const crossing = `port.on('message', ({ kind, call }) => {
  const parcel = (...names) => ({ contents: names.map((name) => [name, 8]), buffer: new Uint8Array(8 * names.length).fill(0xc1).buffer });
  const card = { entryMode: 'CHIP', aid: 'A0', appName: 'VISA', maskedPan: '476173******0119', scheme: 'TDES-DUKPT', awaitsDecision: true };
  if (kind === 'collect') port.postMessage({ kind: 'outcome', call, outcome: { kind: 'card', card, emv: parcel('9F26'), encrypted: parcel('ksn', 'track2', 'pan') } });
  if (kind === 'abort') setTimeout(() => port.postMessage({ kind: 'released', call }), 50);
});`;

test('an abort that crosses with a card: overwritten, and told once nothing waits at the reader', limit, async (t) => {
  const stage = openThread(t, 'neo2', nowhere, { closeMs: 50, spawn: () => scripted(crossing) });
  await becomes(stage.reader, 'ready');
  const sent: Uint8Array[] = [];
  let released = false;
  stage.workers[0]?.prependListener('message', (message) => {
    if (message.kind === 'outcome')
      sent.push(...[message.outcome.emv, message.outcome.encrypted].map(({ buffer }) => new Uint8Array(buffer)));
    if (message.kind === 'released') released = true;
  });
  const abort = new AbortController();
  const outcome = stage.reader.collect(request, abort.signal);
  abort.abort();
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.ok(released);
  assert.equal(sent.length, 2);
  for (const bytes of sent) assert.ok(bytes.length > 0 && bytes.every((byte) => byte === 0));
});

test('a card that came before its abort was heard is let go by the thread', limit, async (t) => {
  for (const model of ['neo2', 'mms'] as const) {
    const stage = await openStage(t, model);
    await becomes(stage.reader, 'ready');
    const chip = await collected(stage, 'insert');
    assert.ok(chip.kind === 'card' && chip.card.awaitsDecision);
    const heard = new Promise<void>((resolve) => {
      stage.workers[0]?.on('message', ({ kind }) => kind === 'released' && resolve());
    });
    // The main thread's own abort, which it sends only before it has heard of the card.
    stage.workers[0]?.postMessage({ kind: 'abort', call: 1 });
    await heard;
    assert.deepEqual(await stage.reader.complete?.(approved), { kind: 'lost' }, model);
    stage.device.remove();
    await paid(stage);
    await stage.reader.close();
  }
});

/** Of this process: name, and the 19th field of stat (proc(5)). */
function threads(): { readonly name: string; readonly nice: number }[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
    const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')];
    return { name: stat.slice(open + 1, close), nice: Number(stat.slice(close + 2).split(' ')[16]) };
  });
}

/** Descriptors of terminals that this process has open. Of a device's end it depends on the machine whether it is /dev/ptmx or /dev/pts/ptmx. */
function openTerminals(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /^\/dev\/pts\/\d+$/.test(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;
}
