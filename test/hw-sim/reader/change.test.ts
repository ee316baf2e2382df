import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { activation, armed, type Stage, card, ready, responses } from './stage.ts';
import { command } from './wire.ts';

const ask = command('62-01', '01 00 0C 04 09 454E5445522050494E 001E');

describe('onChange', () => {
  const steps: [name: string, step: (stage: Stage) => unknown][] = [
    ['the reader waits for a card', ({ pty }) => pty.send(activation('07'))],
    ['a card is held there, and read', ({ reader }) => void reader.tap(card('visa'))],
    ['a card is held there', ({ reader }) => void reader.tap(card('visa'))],
    ['it is taken away', ({ reader }) => reader.remove()],
    ['a card is put in', ({ reader }) => void reader.insert(card('visa'))],
    ['it is taken out', ({ reader }) => reader.remove()],
    ['the reader waits again', ({ pty }) => pty.send(activation('07'))],
    ['a chip waits', ({ reader }) => void reader.insert(card('visa'))],
    ['a chip has its issuer', ({ pty }) => pty.send(command('60-12', '01 8A023030'))],
    ['a PIN is asked for', ({ pty }) => pty.send(ask)],
    ['a PIN is entered', ({ reader }) => reader.enterPin('1357')],
    ['a PIN is asked for again', ({ pty }) => pty.send(ask)],
    ['the cancel key', ({ reader }) => reader.pressKey('CANCEL')],
    ['something unexpected', ({ pty }) => pty.send('FF')],
    ['a reset', ({ reader }) => reader.reset()],
    ['auto poll', ({ pty }) => pty.send(command('01-01', '00'))],
    ['unplugged', ({ reader }) => reader.fault({ unplug: true })],
    ['plugged in', ({ reader }) => reader.fault({ unplug: false })],
  ];

  test('fires when the state has changed, with the state that it has come to', async (t) => {
    const { pty, reader } = ready(t);
    const snapshot = (): string => JSON.stringify([reader.state(), reader.unexpected.length]);
    await settled();
    const seen: string[] = [];
    reader.onChange(() => seen.push(snapshot()));
    for (const [name, step] of steps) {
      const before = snapshot();
      await step({ pty, reader });
      await settled();
      assert.notEqual(snapshot(), before, `${name}: the test changes nothing`);
      assert.equal(seen.at(-1), snapshot(), name);
      seen.length = 0;
    }
  });

  test('fires when a time is up', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = ready(t);
    const timeouts: [step: () => unknown, ms: number][] = [
      [() => pty.send(activation('07')), 30_000],
      [() => void reader.tap(card('eps'), 500), 500],
    ];
    let times = 0;
    reader.onChange(() => times++);
    for (const [step, ms] of timeouts) {
      step();
      await settled();
      times = 0;
      t.mock.timers.tick(ms);
      await settled();
      assert.equal(times, 1);
    }
  });

  test('a customer who answers from within it', async (t) => {
    const { pty, reader } = armed(t, '01');
    await reader.swipe(card('eps'));
    pty.sent();
    reader.onChange(() => {
      if (reader.state().pinPad.asking) reader.enterPin('1357');
    });
    pty.send(ask);
    await settled();
    assert.equal(responses(pty)[1]?.data.length, 1 + 20 + 16);
  });

  test('until nobody wants to know, or the reader is closed', async (t) => {
    const { pty, reader } = ready(t);
    await settled();
    let first = 0;
    let second = 0;
    const stop = reader.onChange(() => first++);
    reader.onChange(() => second++);
    stop();
    pty.send('FF');
    await settled();
    assert.deepEqual([first, second], [0, 1]);
    pty.send(activation('07'));
    await settled();
    assert.deepEqual([first, second], [0, 2]);
    await reader.close();
    assert.equal(reader.armed, false);
    await settled();
    assert.deepEqual([first, second], [0, 2]);
  });
});

/** Listeners are told in a microtask. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}
