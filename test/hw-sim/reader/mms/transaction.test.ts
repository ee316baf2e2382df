import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { type Card, hasChip } from '../../../../hw-sim/card/card.ts';
import { card, cards } from '../stage.ts';
import { hex } from '../wire.ts';
import { armed, cancel, cancelled, everything, ready, serial, start, started, waiting, whysOf } from './stage.ts';
import { fixture, fixtures, notification, request, response, transactionData } from './wire.ts';

const { arqc } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/crypto/card-cryptograms.json', import.meta.url), 'utf8'),
) as { readonly arqc: Readonly<Record<string, string>> };

describe('a transaction', () => {
  for (const [name, interfaces, amountMinor, currencyNumeric, transactionType] of [
    ['start, all interfaces, 60 s, 1.00 USD', ['contactless', 'chip', 'stripe'], '100', '0840', '00'],
    ['start, contactless, 60 s, 1.00 USD', ['contactless'], '100', '0840', '00'],
    ['start, all interfaces, 60 s, 30.00 HKD', ['contactless', 'chip', 'stripe'], '3000', '0344', '00'],
    ['start, contactless, 60 s, 30.00 HKD', ['contactless'], '3000', '0344', '00'],
    ['start, chip, 60 s, refund of 30.00 HKD', ['chip'], '3000', '0344', '20'],
  ] as const) {
    test(`is armed by '${name}' of the fixtures`, (t) => {
      const { reader, ask, heard } = ready(t);
      const message = fixture(name);
      ask(message);
      assert.deepEqual(heard(), [response('1001', '01 000000', message.slice(10, 12))]);
      const state = reader.state();
      assert.deepEqual(
        {
          armed: state.armed,
          interfaces: state.interfaces,
          amountMinor: state.amountMinor,
          currencyNumeric: state.currencyNumeric,
          transactionType: state.transactionType,
        },
        { armed: true, interfaces, amountMinor, currencyNumeric, transactionType },
      );
      assert.deepEqual(reader.unexpected, []);
    });
  }

  test('answers as the fixtures have it', (t) => {
    const { ask, heard } = ready(t);
    ask(start(everything));
    ask(start(everything));
    ask(cancel);
    ask(cancel);
    ask(request('1001', '82'));
    assert.deepEqual(heard(), [
      fixture('start answer'),
      fixture('start answer, in progress'),
      cancelled,
      fixture('transaction over, cancelled'),
      fixture('cancel answer, no transaction'),
      fixture('start answer, bad parameter'),
    ]);
  });

  /** Published, and nothing that this terminal asks for: no issuer reaches a Quick Chip card, and it has no card number. */
  const notOurs = new Map([
    ['start, Quick Chip, all interfaces, 60 s, 1.00 USD', '1001 with options that this reader does not have'],
    ['start, Quick Chip, contactless, 60 s, 1.00 USD', '1001 with options that this reader does not have'],
    ['enter PIN, the published example', 'A1 of 2001 with 82'],
    ['reset', '1f01 is not known here'],
  ]);

  test('every request of the fixtures is understood', (t) => {
    for (const { name, direction, hex: message } of fixtures.values()) {
      if (direction !== 'request') continue;
      const { reader, ask, heard } = ready(t);
      ask(message);
      assert.equal(heard().length, 1, name);
      const known = notOurs.get(name);
      if (known !== undefined) assert.deepEqual(whysOf(reader), [known], name);
      else for (const why of whysOf(reader)) assert.equal(why, '1004 without a card that waits for it', name);
    }
  });

  test('times out after the seconds that 1001 says', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, ask, heard } = ready(t);
    ask(start(everything));
    t.mock.timers.tick(29_999);
    assert.deepEqual(heard(), [started]);
    t.mock.timers.tick(1);
    assert.deepEqual(heard(), [fixture('transaction over, timed out')]);
    assert.equal(reader.armed, false);
  });

  test('that is over does not time out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, heard } = armed(t);
    await reader.tap(card('visa'));
    heard();
    t.mock.timers.tick(60_000);
    assert.deepEqual(heard(), []);
  });

  test('tells that it waits, until nobody wants to know', (t) => {
    const { reader, ask } = ready(t);
    let times = 0;
    const stop = reader.onArmed(() => times++);
    ask(start(everything));
    ask(cancel);
    stop();
    ask(start(everything));
    assert.equal(times, 1);
  });

  test('repeats the reference of each request', (t) => {
    const { ask, heard } = ready(t);
    for (const reference of ['00', '13', 'ff']) ask(request('1008', '', reference));
    assert.deepEqual(
      heard(),
      ['00', '13', 'ff'].map((reference) => response('1008', '81 020304', reference)),
    );
  });

  test('says what carries its reports', (t) => {
    const { reader } = ready(t);
    const { connected, carrier } = reader.state();
    assert.deepEqual({ connected, carrier }, { connected: true, carrier: 'stream' });
  });
});

describe('a card that is held there', () => {
  test('is detected and asks for authorization, its data encrypted and masked', async (t) => {
    const { reader, heard } = armed(t, 'tap');
    assert.equal(await reader.tap(card('visa')), true);
    const [detected, asking = '', ...more] = heard();
    assert.equal(detected, fixture('contactless card detected'));
    assert.deepEqual(more, []);
    assert.ok(asking.startsWith(notification('0101 20 080202')));
    const data = transactionData(asking);
    const vector = transactionData(fixture('contactless card asks for authorization'));
    assert.equal(data.serial, serial);
    assert.deepEqual([...data.parts.keys()], ['70']);
    assert.deepEqual(data.sealed, vector.sealed);
    // Each value that the vector has from the card and not from a sample.
    const sampled = new Set(['82', '95', '9F26', '9F33', 'DFDF4D']);
    for (const [tag, value] of vector.clear) if (!sampled.has(tag)) assert.equal(data.clear.get(tag), value, tag);
    assert.equal(text(data.clear.get('DFDF4D')), '4761730000000119=000000000000000');
    assert.equal(data.clear.get('9F26'), '71C43E4C200FB0AF');
    assert.equal(data.clear.get('9F27'), '80');
    assert.equal(data.clear.get('9F41'), '00000001');
    assert.equal(data.clear.get('DF52'), undefined);
    const { armed: stillArmed, chipWaits, heldCard, cardsRead, ksn } = reader.state();
    assert.deepEqual(
      { stillArmed, chipWaits, heldCard, cardsRead, ksn },
      { stillArmed: false, chipWaits: true, heldCard: undefined, cardsRead: 1, ksn: 'FFFF9876543210E00001' },
    );
  });

  for (const [name, cryptogram] of Object.entries(arqc)) {
    test(`${name}: its published cryptogram, and its holder stays unknown`, async (t) => {
      const { pan, cardholderName } = card(name);
      const { pty, reader, heard } = armed(t, 'tap');
      await reader.tap(card(name));
      const [, asking = ''] = heard();
      const { clear } = transactionData(asking);
      assert.equal(clear.get('9F26'), cryptogram);
      const bytes = hex(asking);
      assert.ok(!bytes.toString('hex').includes(pan), 'card number, packed');
      if (!isOwnMask(pan)) assert.ok(!bytes.includes(pan, 'latin1'), 'card number, text');
      assert.ok(!bytes.includes(cardholderName, 'latin1'), 'name');
      for (const part of [pan.slice(0, 8), pan.slice(-6)]) {
        assert.ok(!bytes.toString('hex').includes(part), 'more than the mask shows');
        // 5105105105105100 has its last six digits in its own mask once more.
        if (!masked(pan).includes(part)) assert.ok(!bytes.includes(part, 'latin1'), 'more than the mask shows');
      }
      assert.match(text(clear.get('DFDF4D')), new RegExp(`^${pan.slice(0, 6)}0+${pan.slice(-4)}=0*$`));
      assert.equal(pty.sent(), '');
    });
  }

  test('waits for a transaction', async (t) => {
    const { reader, ask, heard } = ready(t);
    const tap = reader.tap(card('visa'));
    assert.equal(reader.state().heldCard, 'visa');
    ask(start('tap'));
    assert.equal(await tap, true);
    assert.deepEqual(
      heard().map((message) => message.slice(0, 28)),
      [started.slice(0, 28), notification('0101 20 010400'), notification('0101 20 080202')],
    );
  });

  test('takes a new key each time, and each card counts for itself', async (t) => {
    const { reader, ask, heard } = ready(t);
    const reported: string[] = [];
    for (const name of ['visa', 'jcb', 'visa']) {
      ask(start('tap'));
      await reader.tap(card(name));
      const { clear, sealed } = transactionData(heard().at(-1) ?? '');
      reported.push(`${sealed.get('DFDF56')?.slice(-6)} ${clear.get('9F36')}`);
      ask(cancel);
      heard();
    }
    assert.deepEqual(reported, ['E00001 0001', 'E00002 0001', 'E00003 0002']);
  });

  test('collides: the transaction goes on', async (t) => {
    const { reader, heard } = armed(t);
    await reader.fault({ collision: true });
    assert.equal(await reader.tap(card('visa')), true);
    assert.deepEqual(heard(), [fixture('contactless collision')]);
    assert.equal(reader.armed, true);
    assert.equal(reader.state().cardsRead, 0);
    await reader.tap(card('visa'));
    assert.equal(heard().length, 2);
    assert.equal(reader.state().ksn, 'FFFF9876543210E00001');
  });

  test('of a kind that the reader does not know: card error', async (t) => {
    const { reader, heard } = armed(t);
    await reader.fault({ unsupported: true });
    await reader.tap(card('visa'));
    assert.deepEqual(heard(), [
      fixture('contactless card detected'),
      fixture('transaction over, contactless not accepted'),
    ]);
    assert.equal(reader.armed, false);
  });

  for (const [fault, over] of [
    ['overLimit', 'transaction over, contactless, try another interface'],
    ['cardLost', 'transaction over, card error'],
  ] as const) {
    test(`${fault}: ${over}, and no key is spent`, async (t) => {
      const { reader, heard } = armed(t);
      await reader.fault({ [fault]: true });
      assert.equal(await reader.tap(card('visa')), true);
      assert.deepEqual(heard(), [fixture('contactless card detected'), fixture(over)]);
      assert.equal(reader.armed, false);
      assert.equal(reader.state().cardsRead, 0);
    });
  }

  test('has no antenna, or meets one that is off: nothing happens', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const visa = card('visa');
    assert.ok(hasChip(visa));
    for (const [interfaces, held] of [
      [everything, card('eps')],
      [everything, { ...visa, interfaces: ['chip'] }],
      ['msr chip', visa],
    ] satisfies [string, Card][]) {
      const { reader, heard } = armed(t, interfaces);
      const tap = reader.tap(held, 1000);
      t.mock.timers.tick(1000);
      assert.equal(await tap, false);
      assert.deepEqual(heard(), []);
      assert.equal(reader.armed, true);
    }
  });
});

describe('a stripe', () => {
  test('gives its data alone, and the transaction is over', async (t) => {
    const { reader, heard } = armed(t, 'msr');
    assert.equal(await reader.swipe(card('visa')), true);
    const [batch = '', ...more] = heard();
    assert.ok(batch.startsWith(notification('0101 08 080302')));
    const data = transactionData(batch);
    const vector = transactionData(fixture('stripe'));
    assert.deepEqual([...data.parts.keys()], ['70']);
    assert.deepEqual(data.sealed, vector.sealed);
    assert.deepEqual([...data.clear.keys()], [...vector.clear.keys()]);
    assert.equal(data.clear.get('DFDF52'), '01');
    assert.equal(data.clear.get('DFDF53'), '00');
    assert.deepEqual(more, [fixture('transaction over, stripe approved')]);
    assert.equal(reader.armed, false);
    assert.equal(reader.state().chipWaits, false);
  });

  test('of a card with a chip: use the chip, and no key is spent', async (t) => {
    const { reader, heard } = armed(t);
    assert.equal(await reader.swipe(card('visa')), true);
    assert.deepEqual(heard(), [fixture('transaction over, use the chip')]);
    assert.equal(reader.armed, false);
    assert.equal(reader.state().cardsRead, 0);
  });

  test('of a chip that could not be read is taken as a fallback', async (t) => {
    const { reader, ask, heard } = armed(t);
    await reader.fault({ chipFails: true });
    await reader.insert(card('visa'));
    assert.deepEqual(heard(), [fixture('contact card inserted'), fixture('transaction over, use the stripe')]);
    ask(start(everything));
    heard();
    assert.equal(await reader.swipe(card('visa')), true);
    const { clear } = transactionData(heard()[0] ?? '');
    assert.equal(clear.get('DFDF53'), '01');
    ask(start(everything));
    heard();
    await reader.swipe(card('visa'));
    assert.deepEqual(heard(), [fixture('transaction over, use the chip')]);
  });

  test('is not met where none is waited for', async (t) => {
    const { reader, heard } = armed(t, 'chip tap');
    assert.equal(await reader.swipe(card('eps')), false);
    assert.deepEqual(heard(), []);
    assert.equal(reader.armed, true);
  });

  for (const [name, { pan }] of cards) {
    test(`of ${name}: its number stays secret`, async (t) => {
      const { reader, heard } = armed(t, 'msr');
      assert.equal(await reader.swipe(card(name)), true);
      const bytes = hex(heard()[0] ?? '');
      assert.ok(!bytes.toString('hex').includes(pan));
      if (!isOwnMask(pan)) assert.ok(!bytes.includes(pan, 'latin1'));
    });
  }
});

describe('cancel', () => {
  test('ends the transaction, which says so', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reader, ask, heard } = armed(t);
    ask(cancel);
    assert.deepEqual(heard(), [cancelled, fixture('transaction over, cancelled')]);
    assert.equal(reader.armed, false);
    t.mock.timers.tick(60_000);
    assert.deepEqual(heard(), []);
    assert.deepEqual(reader.unexpected, []);
  });

  test('is answered as published', (t) => {
    const { ask, heard } = armed(t);
    ask(fixture('cancel'));
    assert.equal(heard()[0], fixture('cancel answer'));
  });

  test('that a stripe has crossed finds no transaction, and nobody is to blame', async (t) => {
    const { reader, ask, heard } = armed(t, 'msr');
    await reader.swipe(card('eps'));
    heard();
    ask(cancel);
    assert.deepEqual(heard(), [fixture('cancel answer, no transaction')]);
    assert.deepEqual(reader.unexpected, []);
  });

  for (const from of ['chip', 'contactless'] as const) {
    test(`ends what a card that came by ${from} waits for`, async (t) => {
      const { reader, ask, heard } = await waiting(t, from);
      ask(cancel);
      assert.deepEqual(heard(), [cancelled, fixture('transaction over, cancelled')]);
      const { chipWaits, insertedCard } = reader.state();
      assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
      assert.deepEqual(reader.unexpected, []);
    });
  }
});

/** Hidden digits are 0: a test card whose own are 0 as well looks the same in its mask. */
function isOwnMask(pan: string): boolean {
  return masked(pan) === pan;
}

function masked(pan: string): string {
  return pan.slice(0, 6) + '0'.repeat(pan.length - 10) + pan.slice(-4);
}

function text(value: string | undefined): string {
  return hex(value ?? '').toString('latin1');
}
