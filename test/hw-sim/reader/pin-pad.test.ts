import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import type { Card } from '../../../hw-sim/card/card.ts';
import type { Neo2Options } from '../../../hw-sim/reader/neo2/reader.ts';
import { activation, aesKeys, armed, type Bench, card, ready, responses, whysOf } from './stage.ts';
import { command, hex, type Response, response } from './wire.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/dukpt-tdes.json', import.meta.url), 'utf8'),
) as { readonly rows: readonly { readonly ksn: string; readonly encryptedPinBlock: string }[] };

const aesVectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/dukpt-aes.json', import.meta.url), 'utf8'),
) as {
  readonly pin: string;
  readonly pan: string;
  readonly pinField: string;
  readonly rows: readonly { readonly ksn: string; readonly encryptedPinBlock?: string }[];
};

/** 30 s, 4 to 12 digits, for the first time. */
const ask = command('62-01', '1E 04 0C 00');
const askAgain = command('62-01', '1E 04 0C 01');
const cancelPin = command('62-00');
const taken = { command: '62', status: '00', data: Buffer.alloc(0) };

function ended(state: string): Response {
  return { command: '62', status: '00', data: hex(state) };
}

function withPin(ksn: string, block: string): Response {
  return { command: '62', status: '00', data: Buffer.concat([Buffer.of(0), Buffer.from(ksn + block, 'latin1')]) };
}

describe('a PIN', () => {
  test('1234 of the published card number: every published block of the sequence, key by key', async (t) => {
    const published = { ...card('eps'), pan: '4012345678909' };
    const { pty, reader } = await read(t, published, { pinKsn: hex('FFFF9876543210E00000') });
    for (const { ksn, encryptedPinBlock } of vectors.rows.slice(0, 21)) {
      pty.send(ask);
      assert.equal(reader.enterPin('1234'), true);
      assert.deepEqual(responses(pty), [taken, withPin(ksn, encryptedPinBlock)]);
      assert.equal(reader.state().pinKsn, ksn);
    }
  });

  test('keyed for AES: every published block of format 4, key by key', async (t) => {
    const { rows, pin, pan, pinField } = aesVectors;
    const options = { ...aesKeys, pinKsn: aesKeys.ksn, random: () => hex(pinField).subarray(8) };
    const { pty, reader } = await read(t, { ...card('eps'), pan }, options);
    for (const { ksn, encryptedPinBlock = '' } of rows.slice(0, 3)) {
      pty.send(ask);
      assert.equal(reader.enterPin(pin), true);
      assert.deepEqual(responses(pty), [taken, withPin(ksn, encryptedPinBlock)]);
    }
  });

  test('keyed for AES: the filling is another each time', async (t) => {
    const blocks = new Set<string>();
    const { pty, reader } = await read(t, card('eps'), { ...aesKeys, random: randomBytes });
    for (let entered = 0; entered < 3; entered++) {
      pty.send(ask);
      reader.enterPin('1357');
      blocks.add(responses(pty)[1]?.data.toString('latin1', 25) ?? '');
    }
    assert.equal(reader.state().pinKsn, '123456789012345700000003');
    assert.deepEqual(
      [...blocks].map((block) => block.length),
      [32, 32, 32],
    );
  });

  test("the bank card's, under a key of the pad's own", async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    assert.deepEqual(responses(pty), [taken]);
    assert.deepEqual(reader.state().pinPad, { asking: true, again: false });
    assert.equal(reader.enterPin('1357'), true);
    // Computed with Python's cryptography package.
    assert.deepEqual(responses(pty), [withPin('FFFF9876543220E00001', '4BB43645836B026C')]);
    assert.deepEqual(reader.state().pinPad, { asking: false, again: false });
    pty.send(askAgain);
    assert.deepEqual(reader.state().pinPad, { asking: true, again: true });
    reader.enterPin('1357');
    assert.deepEqual(responses(pty), [taken, withPin('FFFF9876543220E00002', '449F6FC32CA98FE9')]);
    assert.deepEqual(reader.state().pinPad, { asking: false, again: false });
    assert.equal(reader.state().ksn, 'FFFF9876543210E00001');
    assert.deepEqual(reader.unexpected, []);
  });

  test('is made with the card that was read last, however it was read', async (t) => {
    const blocks = new Set<string>();
    const ways: ((bench: Bench) => Promise<unknown>)[] = [
      ({ reader }) => reader.tap(card('visa')),
      ({ reader }) => reader.insert(card('jcb')),
      ({ reader }) => reader.swipe(card('eps')),
    ];
    for (const way of ways) {
      const bench = armed(t, '07');
      await way(bench);
      if (bench.reader.state().chipWaits) bench.pty.send(command('60-12', '01 8A023030'));
      bench.pty.sent();
      bench.pty.send(ask);
      bench.reader.enterPin('1357');
      blocks.add(responses(bench.pty)[1]?.data.toString('latin1', 21) ?? '');
    }
    assert.equal(blocks.size, 3);
    assert.ok(blocks.has('4BB43645836B026C'));
  });

  test('nobody asks for is not taken, nor is a key', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    assert.equal(reader.enterPin('1357'), false);
    assert.equal(reader.pressKey('CANCEL'), false);
    assert.equal(pty.sent(), '');
    pty.send(ask);
    reader.enterPin('1357');
    assert.equal(reader.enterPin('1357'), false);
    assert.equal(responses(pty).length, 2);
  });

  for (const pin of ['135', '1234567890123', '13 7', '135A', '']) {
    test(`'${pin}' is none, and the pad goes on asking`, async (t) => {
      const { pty, reader } = await read(t, card('eps'));
      pty.send(ask);
      pty.sent();
      assert.throws(() => reader.enterPin(pin), { name: 'RangeError', message: 'the pad takes 4 to 12 digits' });
      assert.equal(pty.sent(), '');
      assert.equal(reader.state().pinPad.asking, true);
    });
  }

  test('has as many digits as 62-01 says', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(command('62-01', '1E 06 06 00'));
    assert.throws(() => reader.enterPin('12345'), RangeError);
    assert.throws(() => reader.enterPin('1234567'), RangeError);
    assert.equal(reader.enterPin('123456'), true);
  });
});

describe('a PIN that does not come', () => {
  test('the cancel key', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    assert.equal(reader.pressKey('CANCEL'), true);
    assert.deepEqual(responses(pty), [taken, ended('01')]);
    assert.equal(reader.state().pinPad.asking, false);
    // No key is spent on a PIN that was not entered.
    pty.send(ask);
    reader.enterPin('1357');
    assert.deepEqual(responses(pty)[1], withPin('FFFF9876543220E00001', '4BB43645836B026C'));
  });

  test('62-00: one answer to both', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    pty.send(cancelPin);
    assert.deepEqual(responses(pty), [taken, ended('02')]);
    assert.equal(reader.state().pinPad.asking, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('62-00 that the PIN has crossed is answered behind it', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    reader.enterPin('1357');
    pty.send(cancelPin);
    assert.deepEqual(responses(pty).slice(2), [ended('02')]);
    assert.deepEqual(reader.unexpected, []);
  });

  test('time-out, after the seconds that the command says', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    pty.sent();
    t.mock.timers.tick(29_999);
    assert.equal(pty.sent(), '');
    t.mock.timers.tick(1);
    assert.deepEqual(responses(pty), [{ command: '62', status: '08', data: Buffer.alloc(0) }]);
    assert.equal(reader.state().pinPad.asking, false);
    assert.equal(reader.enterPin('1357'), false);
  });

  test('that is over does not time out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = await read(t, card('eps'));
    for (const end of [() => reader.enterPin('1357'), () => reader.pressKey('CANCEL'), () => pty.send(cancelPin)]) {
      pty.send(ask);
      end();
      pty.sent();
      t.mock.timers.tick(60_000);
      assert.equal(pty.sent(), '');
    }
  });

  test('no card was read', (t) => {
    const { pty, reader } = ready(t);
    pty.send(ask);
    assert.deepEqual(responses(pty), [taken, ended('05')]);
    assert.equal(reader.state().pinPad.asking, false);
  });

  test('a card that failed was not read', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.swipe(card('visa'));
    pty.sent();
    pty.send(ask);
    assert.deepEqual(responses(pty), [taken, ended('05')]);
  });

  test('the pad has used all its keys', async (t) => {
    const { pty, reader } = await read(t, card('eps'), { pinKsn: hex('FFFF9876543220FFF800') });
    pty.send(ask);
    assert.equal(reader.enterPin('1357'), true);
    assert.deepEqual(responses(pty), [taken, ended('06')]);
    assert.equal(reader.state().pinPad.asking, false);
  });

  test('the power went: nothing is asked, and no card is known', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    pty.sent();
    await reader.fault({ unplug: true });
    assert.deepEqual(reader.state().pinPad, { asking: false, again: false });
    await reader.fault({ unplug: false });
    assert.equal(reader.enterPin('1357'), false);
    pty.send(ask);
    assert.deepEqual(responses(pty), [taken, ended('05')]);
  });
});

describe('what no driver should send to a PIN pad is recorded', () => {
  for (const [name, data] of [
    ['18-01', ''],
    ['02-40', '1E 9F0206000000003000'],
    ['60-12', '01 8A023030'],
    ['62-01', '1E 04 0C 00'],
  ] as const) {
    test(`${name} while it asks: not allowed, and it goes on asking`, async (t) => {
      const { pty, reader } = await read(t, card('eps'));
      pty.send(ask);
      pty.sent();
      pty.send(command(name, data));
      assert.equal(response(pty.sent()).status, '0b');
      assert.deepEqual(whysOf(reader), [`${name} while 62-01 was under way`]);
      assert.equal(reader.enterPin('1357'), true);
    });
  }

  test('but 05-01 is not: a terminal that starts anew can’t know, and is told that it is not allowed', async (t) => {
    const { pty, reader } = await read(t, card('eps'));
    pty.send(ask);
    pty.sent();
    pty.send(command('05-01', ''));
    assert.equal(response(pty.sent()).status, '0b');
    assert.deepEqual(whysOf(reader), []);
    assert.equal(reader.enterPin('1357'), true);
  });

  const bad: [name: string, data: string, why: RegExp][] = [
    ['62-01', '', /0 bytes/],
    ['62-01', '1E 04 0C 00 00', /5 bytes/],
    ['62-01', '00 04 0C 00', /0 s/],
    ['62-01', '1E 03 0C 00', /number of digits/],
    ['62-01', '1E 04 0D 00', /number of digits/],
    ['62-01', '1E 06 05 00', /number of digits/],
    ['62-01', '1E 04 0C 02', /last PIN/],
    ['62-00', '00', /takes no data/],
  ];
  for (const [name, data, why] of bad) {
    test(`${name} with '${data}': a wrong parameter`, async (t) => {
      const { pty, reader } = await read(t, card('eps'));
      pty.send(command(name, data));
      assert.deepEqual(responses(pty), [{ command: '62', status: '05', data: Buffer.alloc(0) }]);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.state().pinPad.asking, false);
    });
  }

  test('62-01 while a card is waited for cancels that', (t) => {
    const { pty, reader } = armed(t, '07');
    pty.send(ask);
    assert.equal(pty.sent(), '');
    assert.equal(reader.armed, false);
    assert.deepEqual(whysOf(reader), ['62-01 while 02-40 was under way']);
  });
});

/** A reader that has read the stripe of this card. */
async function read(t: TestContext, swiped: Card, options: Partial<Neo2Options> = {}): Promise<Bench> {
  const bench = ready(t, options);
  bench.pty.send(activation('01'));
  assert.equal(await bench.reader.swipe(swiped), true);
  bench.pty.sent();
  return bench;
}
