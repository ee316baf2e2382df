import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import type { Card } from '../../../../hw-sim/card/card.ts';
import { card } from '../stage.ts';
import { hex } from '../wire.ts';
import { type Stage, cancel, ready, resume, start, whysOf } from './stage.ts';
import { fixture, object, request, response } from './wire.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../../fixtures/crypto/dukpt-tdes.json', import.meta.url), 'utf8'),
) as { readonly rows: readonly { readonly ksn: string; readonly encryptedPinBlock: string }[] };

/** Payload of 2001: 82 is what is shown. */
const pin = (shown = '00', limits = '0c04', seconds = '1e'): string =>
  `8101${seconds}8201${shown}8302${limits}850100${object('a1', '81010c')}`;
const ask30 = request('2001', pin());
const askAgain = request('2001', pin('02'));
const end = request('2001', pin('fd'));
const ended = fixture('end PIN entry answer');
const taken = fixture('enter PIN answer');

function withPin(ksn: string, block: string): string {
  const data = `df710100${object('99', block)}${object('dfdf41', ksn)}dfdf420181`;
  return `aa00810483000205820401020101${object('84', object('f5', data))}`.toLowerCase();
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
    ask(request('2001', pin('00', '0606')));
    assert.throws(() => reader.enterPin('12345'), RangeError);
    assert.throws(() => reader.enterPin('1234567'), RangeError);
    assert.throws(() => reader.enterPin('12345A'), RangeError);
    assert.equal(reader.enterPin('123456'), true);
  });
});

describe('a PIN that does not come', () => {
  test('ended by 2001: both say so', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    heard();
    ask(fixture('end PIN entry'));
    assert.deepEqual(heard(), [ended, fixture('PIN entry cancelled')]);
    assert.equal(reader.state().pinPad.asking, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('an end that the PIN has crossed finds nothing, and nobody is to blame', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    reader.enterPin('1357');
    heard();
    ask(fixture('end PIN entry'));
    assert.deepEqual(heard(), [fixture('end PIN entry answer, nothing to end')]);
    assert.deepEqual(reader.unexpected, []);
  });

  test('1008 is of transactions: the pad goes on asking', async (t) => {
    const { reader, ask, heard } = await read(t, card('eps'));
    ask(ask30);
    heard();
    ask(cancel);
    assert.deepEqual(heard(), [fixture('cancel answer, no transaction')]);
    assert.equal(reader.state().pinPad.asking, true);
    assert.equal(reader.enterPin('1357'), true);
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
    for (const over of [() => reader.enterPin('1357'), () => reader.pressKey('CANCEL'), () => ask(end)]) {
      ask(ask30);
      over();
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
    [pin().replace('850100', ''), /without 85/],
    [pin('04'), /something to show/],
    [pin('00', '0c04', '00'), /0 s/],
    [pin('00', '0c03'), /number of digits/],
    [pin('00', '0d04'), /number of digits/],
    [pin('00', '0506'), /number of digits/],
    [pin().replace('83020c04', '83010c'), /another length/],
    [pin().replace('850100', '85020000'), /another length/],
    [pin().replace('850100', '850103'), /a block that/],
    [pin().replace('81010c', '810110'), /card number of another length/],
    [pin().replace('a10381010c', 'a10b81010c8206123456789012'), /A1 of 2001 with 82/],
    [`${pin()}860100`, /with 86/],
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
async function read(t: TestContext, swiped: Card, pinKsn?: Buffer): Promise<Stage> {
  const stage = ready(t, pinKsn && { pinKsn });
  stage.ask(start('msr'));
  assert.equal(await stage.reader.swipe(swiped), true);
  stage.heard();
  return stage;
}
