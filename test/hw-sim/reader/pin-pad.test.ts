import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import type { Card } from '../../../hw-sim/card/card.ts';
import type { Neo2Options } from '../../../hw-sim/reader/neo2/reader.ts';
import { activation, aesKeys, armed, type Stage, card, ready, responses, whysOf } from './stage.ts';
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
const asked = '01 00 0C 04 09 454E5445522050494E 001E';
const ask = command('62-01', asked);
/** WRONG PIN, and below it ENTER PIN. */
const askAgain = command('62-01', '01 00 0C 04 13 57524F4E472050494E 00 454E5445522050494E 001E');
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
    const ways: ((stage: Stage) => Promise<unknown>)[] = [
      ({ reader }) => reader.tap(card('visa')),
      ({ reader }) => reader.insert(card('jcb')),
      ({ reader }) => reader.swipe(card('eps')),
    ];
    for (const way of ways) {
      const stage = armed(t, '07');
      await way(stage);
      if (stage.reader.state().chipWaits) stage.pty.send(command('60-12', '01 8A023030'));
      stage.pty.sent();
      stage.pty.send(ask);
      stage.reader.enterPin('1357');
      blocks.add(responses(stage.pty)[1]?.data.toString('latin1', 21) ?? '');
    }
    assert.equal(blocks.size, 3);
    assert.ok(blocks.has('4BB43645836B026C'));
  });

  test('of a chip that waits for its issuer: asked for twice, then the issuer decides', async (t) => {
    const { pty, reader } = armed(t, '04');
    await reader.insert(card('visa-debit'));
    assert.equal(reader.state().chipWaits, true);
    pty.sent();
    for (const wanted of [ask, askAgain]) {
      pty.send(wanted);
      assert.deepEqual(reader.state().pinPad, { asking: true, again: wanted === askAgain });
      reader.enterPin('2468');
      assert.equal(responses(pty)[1]?.data[0], 0);
    }
    pty.send(command('60-12', '01 8A023030'));
    assert.deepEqual(
      responses(pty).map(({ status }) => status),
      ['63', '00'],
    );
    assert.deepEqual(reader.unexpected, []);
  });

  test('of a chip that is taken out meanwhile: 0A, and 60-12 finds no card', async (t) => {
    const { pty, reader } = armed(t, '04');
    await reader.insert(card('visa-debit'));
    pty.sent();
    pty.send(ask);
    reader.remove();
    assert.deepEqual(responses(pty), [taken, { command: '62', status: '0a', data: Buffer.alloc(0) }]);
    assert.equal(reader.enterPin('2468'), false);
    pty.send(command('60-12', '01 8A023030'));
    assert.deepEqual(
      responses(pty).map(({ status }) => status),
      ['63', '0a'],
    );
  });

  test('of a chip that was taken out before: 0A at once', async (t) => {
    const { pty, reader } = armed(t, '04');
    await reader.insert(card('visa-debit'));
    reader.remove();
    pty.sent();
    pty.send(ask);
    assert.deepEqual(responses(pty), [taken, { command: '62', status: '0a', data: Buffer.alloc(0) }]);
    assert.equal(reader.state().pinPad.asking, false);
  });

  test('60-12 while it is asked for is refused, and the pad goes on', async (t) => {
    const { pty, reader } = armed(t, '04');
    await reader.insert(card('visa-debit'));
    pty.send(ask);
    pty.sent();
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(response(pty.sent()).status, '0b');
    assert.equal(reader.state().pinPad.asking, true);
    assert.deepEqual(whysOf(reader), ['60-12 while 62-01 was under way']);
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
    pty.send(command('62-01', '01 00 06 06 09 454E5445522050494E 001E'));
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
    ['62-01', asked],
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
    ['62-01', '01 00 0C 04 00 001E', /7 bytes/],
    ['62-01', `${asked} 00`, /17 bytes/],
    ['62-01', asked.replace('09', '0A'), /16 bytes/],
    ['62-01', '11 00 0C 04 09 454E5445522050494E 001E', /another key/],
    ['62-01', '00 00 0C 04 09 454E5445522050494E 001E', /another key/],
    ['62-01', '01 10 0C 04 09 454E5445522050494E 001E', /from outside/],
    ['62-01', '01 00 0C 04 09 454E5445522050494E 0000', /0 s/],
    ['62-01', '01 00 0C 03 09 454E5445522050494E 001E', /number of digits/],
    ['62-01', '01 00 0D 04 09 454E5445522050494E 001E', /number of digits/],
    ['62-01', '01 00 05 06 09 454E5445522050494E 001E', /number of digits/],
    ['62-01', '01 00 0C 04 12 454E54455220594F55522050494E204E4F57 001E', /message/],
    ['62-01', '01 00 0C 04 05 4100420043 001E', /message/],
    ['62-01', '01 00 0C 04 01 E9 001E', /message/],
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
async function read(t: TestContext, swiped: Card, options: Partial<Neo2Options> = {}): Promise<Stage> {
  const stage = ready(t, options);
  stage.pty.send(activation('01'));
  assert.equal(await stage.reader.swipe(swiped), true);
  stage.pty.sent();
  return stage;
}
