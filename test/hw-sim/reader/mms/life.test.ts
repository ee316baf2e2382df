import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { card } from '../stage.ts';
import { armed, type Stage, cancel, cancelled, everything, ready, resume, start, started, waiting } from './stage.ts';
import { fixture, messagesOf, request } from './wire.ts';

describe('faults of the line', () => {
  test('garble: one bit of the next message, and only that', (t) => {
    const { pty, reader, ask } = ready(t);
    void reader.fault({ garble: true });
    ask(cancel);
    assert.deepEqual(messagesOf(pty.sent()), [fixture('cancel answer, no transaction').replace(/^aa/, 'ea')]);
    ask(cancel);
    assert.deepEqual(messagesOf(pty.sent()), [fixture('cancel answer, no transaction')]);
  });

  test('garble: a message of several reports as well', async (t) => {
    const { reader, heard } = armed(t, 'msr');
    await reader.fault({ garble: true });
    await reader.swipe(card('eps'));
    assert.equal(heard()[0]?.slice(0, 4), 'ea00');
  });

  test('dropNext: the next message is lost', (t) => {
    const { reader, ask, heard } = ready(t);
    void reader.fault({ dropNext: true });
    ask(start(everything));
    ask(cancel);
    assert.deepEqual(heard(), [cancelled, fixture('transaction over, cancelled')]);
  });

  test('garbageBefore: a report of no known kind, then the message', (t) => {
    const { pty, reader, ask } = ready(t);
    void reader.fault({ garbageBefore: true });
    ask(cancel);
    const sent = pty.sent();
    assert.equal(sent.slice(0, 128), 'a5'.repeat(64));
    assert.deepEqual(messagesOf(sent.slice(128)), [fixture('cancel answer, no transaction')]);
  });

  test('splitBytes: a stream comes byte by byte until it is switched off', async (t) => {
    const { pty, reader, ask } = ready(t);
    await reader.fault({ splitBytes: true });
    ask(cancel);
    let sent = '';
    while (sent.length < 128) {
      await new Promise(setImmediate);
      assert.ok(pty.writes <= 1);
      sent += pty.sent();
    }
    assert.deepEqual(messagesOf(sent), [fixture('cancel answer, no transaction')]);
    await reader.fault({ splitBytes: false });
    ask(cancel);
    assert.equal(pty.sent().length, 128);
  });

  test('unplug: nothing waits any more, and nothing is said', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    await reader.fault({ unplug: true });
    const { connected, chipWaits, insertedCard } = reader.state();
    assert.deepEqual(
      { connected, chipWaits, insertedCard },
      { connected: false, chipWaits: false, insertedCard: undefined },
    );
    await reader.fault({ unplug: false });
    assert.deepEqual(heard(), []);
    ask(resume('8A023030'));
    assert.deepEqual(heard(), [fixture('resume answer, no transaction')]);
  });

  test('unplug: half a message of the host is forgotten', async (t) => {
    const { pty, reader, ask, heard } = ready(t);
    pty.send(`010000005a${'0'.repeat(118)}`);
    await reader.fault({ unplug: true });
    await reader.fault({ unplug: false });
    ask(start(everything));
    assert.deepEqual(heard(), [started]);
    assert.deepEqual(reader.unexpected, []);
  });
});

describe('a reader', () => {
  test('that is reset has no card, no fault and no finding, and still waits', async (t) => {
    const { reader, ask, heard } = armed(t, 'tap');
    const met = reader.insert(card('visa'));
    const tap = reader.tap(card('eps'));
    ask(request('1f01'));
    await reader.fault({ collision: true, unsupported: true, chipFails: true, cardRefuses: true, dropNext: true });
    await reader.reset();
    assert.deepEqual([await met, await tap], [false, false]);
    assert.deepEqual(reader.unexpected, []);
    heard();
    assert.equal(reader.armed, true);
    await reader.tap(card('visa'));
    assert.equal(heard().length, 2);
  });

  test('that is reset while a chip waits has lost its card', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    await reader.reset();
    assert.deepEqual(heard(), [fixture('contact card removed')]);
    ask(cancel);
    assert.equal(heard().length, 2);
  });

  test('that is closed takes no card and hears nothing', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, ask, heard } = armed(t);
    await reader.close();
    assert.equal(await reader.insert(card('visa')), false);
    assert.equal(await reader.tap(card('visa')), false);
    assert.equal(await reader.swipe(card('eps')), false);
    ask(start(everything));
    t.mock.timers.tick(60_000);
    assert.deepEqual(heard(), []);
    assert.equal(reader.armed, false);
  });
});

describe('onChange', () => {
  const pin = fixture('enter PIN, 60 s');
  const steps: [name: string, step: (stage: Stage) => unknown][] = [
    ['the reader waits for a card', ({ ask }) => ask(start(everything))],
    ['a card is held there, and read', ({ reader }) => void reader.tap(card('visa'))],
    ['its host has spoken', ({ ask }) => ask(resume('8A023030'))],
    ['a card is held there', ({ reader }) => void reader.tap(card('visa'))],
    ['it is taken away', ({ reader }) => reader.remove()],
    ['a card is put in', ({ reader }) => void reader.insert(card('visa'))],
    ['it is taken out', ({ reader }) => reader.remove()],
    ['the reader waits again', ({ ask }) => ask(start(everything))],
    ['a chip waits', ({ reader }) => void reader.insert(card('visa'))],
    ['a chip has its issuer', ({ ask }) => ask(resume('8A023030'))],
    ['a PIN is asked for', ({ ask }) => ask(pin)],
    ['a PIN is entered', ({ reader }) => reader.enterPin('1357')],
    ['a PIN is asked for again', ({ ask }) => ask(pin)],
    ['the cancel key', ({ reader }) => reader.pressKey('CANCEL')],
    ['something unexpected', ({ ask }) => ask('00')],
    ['a reset', ({ reader }) => reader.reset()],
    ['unplugged', ({ reader }) => reader.fault({ unplug: true })],
    ['plugged in', ({ reader }) => reader.fault({ unplug: false })],
  ];

  test('fires when the state has changed, with the state that it has come to', async (t) => {
    const stage = ready(t);
    const { reader } = stage;
    const snapshot = (): string => JSON.stringify([reader.state(), reader.unexpected.length]);
    await new Promise(setImmediate);
    const seen: string[] = [];
    reader.onChange(() => seen.push(snapshot()));
    for (const [name, step] of steps) {
      const before = snapshot();
      await step(stage);
      await new Promise(setImmediate);
      assert.notEqual(snapshot(), before, `${name}: the test changes nothing`);
      assert.equal(seen.at(-1), snapshot(), name);
      seen.length = 0;
    }
  });
});
