import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import type { Card } from '../../../../hw-sim/card/card.ts';
import { card } from '../stage.ts';
import { hex } from '../wire.ts';
import { type Bench, cancel, cancelled, ready, resume, start, whysOf } from './stage.ts';
import { fixture, object, request, response } from './wire.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../../fixtures/crypto/dukpt-tdes.json', import.meta.url), 'utf8'),
) as { readonly rows: readonly { readonly ksn: string; readonly encryptedPinBlock: string }[] };

const ask30 = request('2001', '81011e 820104 83010c 840100'.replaceAll(' ', ''));
const askAgain = request('2001', '81011e 820104 83010c 840101'.replaceAll(' ', ''));
const taken = fixture('enter PIN answer');

function withPin(ksn: string, block: string): string {
  const data = `df710100${object('99', block)}${object('dfdf41', ksn)}dfdf420180`;
  return `aa00810483000205820400000000${object('84', object('f5', data))}`.toLowerCase();
}

describe('a PIN', () => {
  test('1234 of the published card number: every published block of the sequence, key by key', async (t) => {
    const { reader, ask, heard } = await read(t, { ...card('eps'), pan: '4012345678909' }, hex('FFFF9876543210E00000'));
    for (const { ksn, encryptedPinBlock } of vectors.rows.slice(0, 21)) {
      ask(ask30);
      assert.equal(reader.enterPin('1234'), true);
      assert.deepEqual(heard(), [taken, withPin(ksn, encryptedPinBlock)]);
      assert.equal(reader.state().pinKsn, ksn);
    }
  });

  test('as the fixtures have it', async (t) => {
    const { reader, ask, heard } = await read(t, { ...card('eps'), pan: '4012345678909' }, hex('FFFF9876543210E00000'));
    ask(fixture('enter PIN, 60 s'));
    assert.deepEqual(reader.state().pinPad, { asking: true, again: false });
    reader.enterPin('1234');
    assert.deepEqual(heard(), [taken, fixture('PIN')]);
    ask(fixture('enter PIN, 60 s, the last one was wrong'));
    assert.deepEqual(reader.state().pinPad, { asking: true, again: true });
    reader.pressKey('CANCEL');
    assert.deepEqual(heard(), [taken, fixture('PIN entry cancelled')]);
    assert.deepEqual(reader.state().pinPad, { asking: false, again: false });
    assert.deepEqual(reader.unexpected, []);
  });

  test("the bank card's, under a key of the pad's own", async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    reader.enterPin('1357');
    // Computed with Python's cryptography package.
    assert.deepEqual(heard(), [taken, withPin('FFFF9876543220E00001', '4BB43645836B026C')]);
    ask(askAgain);
    reader.enterPin('1357');
    assert.deepEqual(heard(), [taken, withPin('FFFF9876543220E00002', '449F6FC32CA98FE9')]);
    assert.equal(reader.state().ksn, 'FFFF9876543210E00001');
  });

  test('after a chip', async (t) => {
    const { reader, ask, heard } = ready(t);
    ask(start('chip'));
    await reader.insert(card('jcb'));
    ask(resume('8A023030'));
    heard();
    ask(ask30);
    assert.equal(reader.enterPin('1357'), true);
    assert.equal(heard().length, 2);
  });

  test('nobody asks for is not taken, nor is a key', async (t) => {
    const { reader, heard } = await read(t, card('eps'));
    assert.equal(reader.enterPin('1357'), false);
    assert.equal(reader.pressKey('CANCEL'), false);
    assert.deepEqual(heard(), []);
  });

  test('has as many digits as 2001 says, or the pad goes on asking', async (t) => {
    const { reader, ask } = await read(t, card('eps'));
    ask(request('2001', '81011e820106830106840100'));
    assert.throws(() => reader.enterPin('12345'), RangeError);
    assert.throws(() => reader.enterPin('1234567'), RangeError);
    assert.throws(() => reader.enterPin('12345A'), RangeError);
    assert.equal(reader.enterPin('123456'), true);
  });
});

describe('a PIN that does not come', () => {
  test('1008: both say so', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    heard();
    ask(cancel);
    assert.deepEqual(heard(), [cancelled, fixture('PIN entry cancelled')]);
    assert.equal(reader.state().pinPad.asking, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('1008 that the PIN has crossed finds nothing, and nobody is to blame', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    reader.enterPin('1357');
    heard();
    ask(cancel);
    assert.deepEqual(heard(), [fixture('cancel answer, no transaction')]);
    assert.deepEqual(reader.unexpected, []);
  });

  test('time-out, after the seconds that 2001 says', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    heard();
    t.mock.timers.tick(29_999);
    assert.deepEqual(heard(), []);
    t.mock.timers.tick(1);
    assert.deepEqual(heard(), [fixture('PIN entry timed out')]);
    assert.equal(reader.enterPin('1357'), false);
  });

  test('that is over does not time out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, ask, heard } = await read(t, card('eps'));
    for (const end of [() => reader.enterPin('1357'), () => reader.pressKey('CANCEL'), () => ask(cancel)]) {
      ask(ask30);
      end();
      heard();
      t.mock.timers.tick(60_000);
      assert.deepEqual(heard(), []);
    }
  });

  test('no card was read', (t) => {
    const { reader, ask, heard } = ready(t);
    ask(ask30);
    assert.deepEqual(heard(), [response('2001', '80 020304')]);
    assert.equal(reader.state().pinPad.asking, false);
  });

  test('the pad has used all its keys', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'), hex('FFFF9876543220FFF800'));
    ask(ask30);
    assert.deepEqual(heard(), [fixture('enter PIN answer, PIN key not mapped')]);
    assert.equal(reader.state().pinPad.asking, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('the power went: nothing is asked, and no card is known', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    await reader.fault({ unplug: true });
    assert.deepEqual(reader.state().pinPad, { asking: false, again: false });
    await reader.fault({ unplug: false });
    heard();
    ask(ask30);
    assert.deepEqual(heard(), [response('2001', '80 020304')]);
  });
});

describe('what no driver should send to a PIN pad is recorded', () => {
  for (const [name, message, status] of [
    ['1001', start('msr'), '80 020308'],
    ['1004', resume('8A023030'), '81 020304'],
    ['2001', ask30, '80 020308'],
  ] as const) {
    test(`${name} while it asks, and it goes on asking`, async (t) => {
      const { reader, ask, heard } = await read(t, card('eps'));
      ask(ask30);
      heard();
      ask(message);
      assert.deepEqual(heard(), [response(name, status)]);
      assert.equal(reader.unexpected.length, 1);
      assert.equal(reader.enterPin('1357'), true);
    });
  }

  const bad: [payload: string, why: RegExp][] = [
    ['', /without 81/],
    ['81011e82010483010c', /without 84/],
    ['81011e82010483010c840102', /last PIN/],
    ['81011e82010483010c84020000', /2 bytes in 84/],
    ['81010082010483010c840100', /0 s/],
    ['81011e82010383010c840100', /number of digits/],
    ['81011e82010483010d840100', /number of digits/],
    ['81011e820106830105840100', /number of digits/],
    ['81011e82010483010c840100850100', /with 85/],
  ];
  for (const [payload, why] of bad) {
    test(`2001 with '${payload}': a bad parameter`, async (t) => {
      const { reader, ask, heard } = await read(t, card('eps'));
      ask(request('2001', payload));
      assert.deepEqual(heard(), [response('2001', '80 010102')]);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.state().pinPad.asking, false);
    });
  }
});

/** A reader that has read the stripe of this card. */
async function read(t: TestContext, swiped: Card, pinKsn?: Buffer): Promise<Bench> {
  const bench = ready(t, pinKsn && { pinKsn });
  bench.ask(start('msr'));
  assert.equal(await bench.reader.swipe(swiped), true);
  bench.heard();
  return bench;
}
