import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import {
  activation,
  armed,
  type Stage,
  cancel,
  cancelled,
  card,
  cardAnswerOf,
  cards,
  ready,
  responses,
  tagsOf,
  whysOf,
} from './stage.ts';
import { command, hex, type Response, response } from './wire.ts';

/** Tag 91 of the Visa card's issuer for 00 and 05, and the card's last word: as in test/hw-sim/card/second-cryptogram. */
const visa = {
  approved: '9108 1550553300830000',
  declined: '9108 6BFFCEAE00000000',
  tc: 'B815E724197DB1CE',
  aac: '272CC35CDF8AD7E6',
};

const first = { command: '60', status: '63', data: Buffer.alloc(0) };
const useStripe = { command: '02', status: '0a', data: hex('FFEE1F 04 62 07 00 00') };

describe('a chip', () => {
  test('answers with attribution C0, its objects encrypted and masked, and stays in its slot', async (t) => {
    const { pty, reader } = armed(t, '04');
    assert.equal(await reader.insert(card('visa')), true);
    const answer = response(pty.sent());
    assert.equal(answer.command, '02');
    assert.equal(answer.status, '23');
    const { start, clear } = cardAnswerOf(answer.data);
    // The ciphertexts are those of the same card held there: test/hw-sim/reader/reader.
    assert.equal(
      start,
      [
        'C0',
        'DFEE120AFFFF9876543210E00001',
        '57A110476173CCCCCC0119DCCCCCCCCCCCCCCC',
        '57C11886E0D13F594DED609564CC183B923FC452E7AF878C7AE3DA',
        '5AA108476173CCCCCC0119',
        '5AC110F9A2A5F0D3F648B8DD180341320CD753',
      ].join(''),
    );
    assert.equal(clear.get('9F39'), '05');
    assert.equal(clear.get('9F27'), '80');
    assert.equal(clear.get('9F26'), '71C43E4C200FB0AF');
    assert.equal(clear.get('9F34'), '1E0300');
    const { armed: stillArmed, chipWaits, insertedCard, cardsRead } = reader.state();
    assert.deepEqual(
      { stillArmed, chipWaits, insertedCard, cardsRead },
      { stillArmed: false, chipWaits: true, insertedCard: 'visa', cardsRead: 1 },
    );
  });

  for (const [name, { pan, cardholderName }] of [...cards].filter(([, { interfaces }]) => interfaces.length > 1)) {
    test(`of ${name}: is read and concluded, and never tells its holder`, async (t) => {
      const { pty, reader } = armed(t, '07');
      assert.equal(await reader.insert(card(name)), true);
      const { status, data } = response(pty.sent());
      assert.equal(status, '23');
      assert.equal(cardAnswerOf(data).clear.get('9F39'), '05');
      assert.ok(!data.toString('hex').includes(pan));
      assert.ok(!data.includes(cardholderName, 'latin1'));
      pty.send(command('60-12', '01 8A023030'));
      assert.equal(responses(pty)[1]?.status, '00');
      assert.deepEqual(reader.unexpected, []);
    });
  }

  test('that is there first is read as soon as the reader waits for it', async (t) => {
    const { pty, reader } = ready(t);
    const met = reader.insert(card('visa'));
    assert.equal(reader.state().insertedCard, 'visa');
    assert.equal(pty.sent(), '');
    pty.send(activation('04'));
    assert.equal(await met, true);
    assert.equal(response(pty.sent()).status, '23');
  });

  test('stays unread where no chip is waited for', async (t) => {
    const { pty, reader } = armed(t, '03');
    const met = reader.insert(card('visa'));
    assert.equal(reader.state().insertedCard, 'visa');
    assert.equal(pty.sent(), '');
    assert.equal(reader.armed, true);
    reader.remove();
    assert.equal(await met, false);
    assert.equal(reader.state().insertedCard, undefined);
  });

  test('makes room for another', async (t) => {
    const { reader } = ready(t);
    const met = reader.insert(card('visa'));
    void reader.insert(card('jcb'));
    assert.equal(await met, false);
    assert.equal(reader.state().insertedCard, 'jcb');
  });

  test('goes before a card that is held there', async (t) => {
    const { pty, reader } = ready(t);
    const tap = reader.tap(card('jcb'));
    const insert = reader.insert(card('visa'));
    pty.send(activation('07'));
    assert.equal(await insert, true);
    assert.equal(response(pty.sent()).data[0], 0xc0);
    assert.equal(reader.state().heldCard, 'jcb');
    reader.remove();
    assert.equal(await tap, false);
  });
});

describe('the second half', () => {
  const outcomes: [name: string, data: string, result: string, type: string, cryptogram: string, rest: string][] = [
    ['approved', `01 8A023030 ${visa.approved}`, '0002', '40', visa.tc, '8000000000 7800'],
    ['approved without a proof', '01 8A023030', '0002', '40', visa.tc, '8000000000 6800'],
    [
      'approved with a script',
      `01 8A023030 ${visa.approved} 7206 860484180000`,
      '0002',
      '40',
      visa.tc,
      '8000000000 7C00',
    ],
    ['approved, no script', `01 8A023030 ${visa.approved} 7204 9F180100`, '0002', '40', visa.tc, '8000000010 7C00'],
    [
      'declined with a script',
      `01 8A023035 ${visa.declined} 7206 8604841E0000`,
      '0003',
      '00',
      visa.aac,
      '8000000000 7C00',
    ],
    [
      'approved by somebody else',
      '01 8A023030 9108 1550553400830000',
      '0003',
      '00',
      'B7B2A34E8E95A5FF',
      '8000000040 7800',
    ],
    ['declined', `01 8A023035 ${visa.declined}`, '0003', '00', visa.aac, '8000000000 7800'],
    ['not to be asked', '00 8A025A33', '0003', '00', visa.aac, '8000000000 6800'],
  ];
  for (const [name, data, result, type, cryptogram, rest] of outcomes) {
    test(`${name}: a first answer, then ${result} with 9F27 ${type}, and the customer takes the card`, async (t) => {
      const { pty, reader } = await waiting(t);
      pty.send(command('60-12', data));
      const [tvr = '', tsi = ''] = rest.split(' ');
      const expected = `${result} 9F2608${cryptogram} 9F2701${type} 9505${tvr} 9B02${tsi}`;
      assert.deepEqual(responses(pty), [first, { command: '60', status: '00', data: hex(expected) }]);
      const { chipWaits, insertedCard } = reader.state();
      assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
      assert.deepEqual(reader.unexpected, []);
    });
  }

  test('a card that refuses although its issuer has approved, once', async (t) => {
    const { pty, reader } = await waiting(t);
    await reader.fault({ cardRefuses: true });
    pty.send(command('60-12', `01 8A023030 ${visa.approved}`));
    assert.equal(lastData(pty.sent()).slice(0, 30), `00039F2608${visa.aac}9F2701`.slice(0, 30));
    assert.equal(await concluded({ pty, reader }), '0002');
  });

  test('a refusal that is taken back does not happen', async (t) => {
    const { pty, reader } = await waiting(t);
    await reader.fault({ cardRefuses: true });
    await reader.fault({ cardRefuses: false });
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(lastData(pty.sent()).slice(0, 4), '0002');
  });

  test('of a card that was taken out: a first answer, then 0A', async (t) => {
    const { pty, reader } = await waiting(t);
    reader.remove();
    assert.equal(reader.state().insertedCard, undefined);
    assert.equal(reader.state().chipWaits, true);
    assert.equal(pty.sent(), '');
    pty.send(command('60-12', `01 8A023030 ${visa.approved}`));
    assert.deepEqual(responses(pty), [first, { command: '60', status: '0a', data: Buffer.alloc(0) }]);
    assert.equal(reader.state().chipWaits, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('another card in the slot does not conclude for the one that was taken out', async (t) => {
    const { pty, reader } = await waiting(t);
    void reader.insert(card('jcb'));
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(responses(pty)[1]?.status, '0a');
    assert.equal(reader.state().insertedCard, 'jcb');
  });

  test('a cancel ends it, without an answer of its own, and the customer takes the card', async (t) => {
    const { pty, reader } = await waiting(t);
    pty.send(cancel);
    assert.deepEqual(responses(pty), [cancelled]);
    const { chipWaits, insertedCard } = reader.state();
    assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
    assert.deepEqual(reader.unexpected, []);
    assert.equal(await concluded({ pty, reader }), '0002');
  });

  test('each transaction of a card counts, whatever became of the last', async (t) => {
    const { pty, reader } = await waiting(t);
    pty.send(cancel);
    pty.sent();
    pty.send(activation('04'));
    await reader.insert(card('visa'));
    const { start, clear } = cardAnswerOf(response(pty.sent()).data);
    assert.match(start, /^C0DFEE120AFFFF9876543210E00002/);
    assert.equal(clear.get('9F36'), '0002');
  });

  test('is waited for as long as 02-40 says', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = ready(t);
    pty.send(activation('04', 'DFEF3C03010060'));
    await reader.insert(card('visa'));
    pty.sent();
    t.mock.timers.tick(95_999);
    assert.equal(reader.state().insertedCard, 'visa');
    t.mock.timers.tick(1);
    assert.equal(reader.state().insertedCard, undefined);
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(responses(pty)[1]?.status, '0a');
  });

  test('is not over before 02-40 says so, once it has come', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = ready(t);
    pty.send(activation('04', 'DFEF3C03010060'));
    await reader.insert(card('visa'));
    pty.send(command('60-12', '01 8A023030'));
    void reader.insert(card('jcb'));
    t.mock.timers.tick(600_000);
    assert.equal(reader.state().insertedCard, 'jcb');
  });

  test('power gone: nothing waits any more', async (t) => {
    const { pty, reader } = await waiting(t);
    await reader.fault({ unplug: true });
    await reader.fault({ unplug: false });
    const { chipWaits, insertedCard } = reader.state();
    assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(response(pty.sent()).status, '0b');
  });
});

describe('a reader that is set up for quick chip', () => {
  test('answers as any does, lets the card go, and takes no 60-12', async (t) => {
    const usual = armed(t, '04');
    await usual.reader.insert(card('visa'));
    const quick = armed(t, '04', { quickChip: true });
    assert.equal(await quick.reader.insert(card('visa')), true);
    assert.equal(quick.pty.sent(), usual.pty.sent());
    const { chipWaits, insertedCard, chipHeard } = quick.reader.state();
    assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
    assert.deepEqual(chipHeard, { responseCode: 'Z3', objects: [] });
    quick.pty.send(command('60-12', '01 8A023030'));
    assert.equal(response(quick.pty.sent()).status, '0b');
    quick.pty.send(activation('04'));
    assert.equal(await quick.reader.insert(card('visa')), true, 'the next transaction');
  });
});

describe('what no driver should send to a chip that waits is recorded, and it goes on waiting', () => {
  for (const [name, data] of [
    ['18-01', ''],
    ['01-01', '01'],
    ['02-40', '1E 9F0206000000003000'],
  ] as const) {
    test(`${name}: not allowed`, async (t) => {
      const { pty, reader } = await waiting(t);
      pty.send(command(name, data));
      assert.equal(response(pty.sent()).status, '0b');
      assert.deepEqual(whysOf(reader), [`${name} while a chip waited for 60-12`]);
      pty.send(command('60-12', '01 8A023030'));
      assert.equal(lastData(pty.sent()).slice(0, 4), '0002');
    });
  }

  const bad: [data: string, why: RegExp][] = [
    ['', /without a byte/],
    ['02 8A023030', /without a byte/],
    ['01', /without one 8A/],
    ['01 8A0130', /without one 8A/],
    ['01 8A023030 8A023030', /without one 8A/],
    ['01 8A022020', /without one 8A/],
    ['01 8A023030 91', /no list/],
    ['01 8A023030 9107 00000000000000', /91 of 7 bytes/],
    ['01 8A023030 9111 0000000000000000000000000000000000', /91 of 17 bytes/],
    [`01 8A023030 ${visa.approved} ${visa.approved}`, /91 twice/],
    ['01 8A023030 9F0206000000003000', /with 9F02/],
    ['01 8A025A33', /Z3 in 8A and 1/],
    ['00 8A023030', /00 in 8A and 0/],
    [`00 8A025A33 ${visa.approved}`, /nobody answered/],
  ];
  for (const [data, why] of bad) {
    test(`60-12 with '${data}': a wrong parameter`, async (t) => {
      const { pty, reader } = await waiting(t);
      pty.send(command('60-12', data));
      assert.deepEqual(responses(pty), [{ command: '60', status: '05', data: Buffer.alloc(0) }]);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.state().chipWaits, true);
    });
  }

  test('60-12 without a chip: not allowed', (t) => {
    const { pty, reader } = ready(t);
    pty.send(command('60-12', '01 8A023030'));
    assert.equal(response(pty.sent()).status, '0b');
    assert.deepEqual(whysOf(reader), ['60-12 without a chip that waits for it']);
  });

  test('60-12 twice: the second has nobody to go to', async (t) => {
    const { pty, reader } = await waiting(t);
    pty.send(command('60-12', '01 8A023030'));
    pty.send(command('60-12', '01 8A023030'));
    assert.deepEqual(
      responses(pty).map(({ status }) => status),
      ['63', '00', '0b'],
    );
    assert.equal(reader.unexpected.length, 1);
  });

  test('60-13 is not known', (t) => {
    const { pty } = ready(t);
    pty.send(command('60-13'));
    assert.equal(response(pty.sent()).status, '03');
  });
});

describe('a chip that can not be read', () => {
  test('chipFails: use the stripe, once; no key is spent, and the customer takes the card', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.fault({ chipFails: true });
    assert.equal(await reader.insert(card('visa')), true);
    assert.deepEqual(response(pty.sent()), useStripe);
    const { insertedCard, chipWaits, cardsRead } = reader.state();
    assert.deepEqual(
      { insertedCard, chipWaits, cardsRead },
      { insertedCard: undefined, chipWaits: false, cardsRead: 0 },
    );
    pty.send(activation('07'));
    await reader.insert(card('visa'));
    assert.match(response(pty.sent()).data.toString('hex'), /^c0dfee120affff9876543210e00001/);
  });

  test('chipFails does not meet a card that is held there, and can be taken back', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.fault({ chipFails: true });
    await reader.tap(card('visa'));
    assert.equal(response(pty.sent()).status, '23');
    await reader.fault({ chipFails: false });
    pty.send(activation('07'));
    await reader.insert(card('visa'));
    assert.equal(response(pty.sent()).status, '23');
  });

  test('a card without one: use the stripe', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.insert(card('eps'));
    assert.deepEqual(response(pty.sent()), useStripe);
  });

  test('collision and unsupported meet no chip', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.fault({ collision: true });
    await reader.insert(card('visa'));
    assert.equal(response(pty.sent()).status, '23');
  });

  test('reset takes both faults back and the card out', async (t) => {
    const { pty, reader } = ready(t);
    const met = reader.insert(card('visa'));
    await reader.fault({ chipFails: true, cardRefuses: true });
    await reader.reset();
    assert.equal(await met, false);
    assert.equal(await concluded({ pty, reader }), '0002');
  });

  test('closed: no card goes in', async (t) => {
    const { reader } = armed(t, '07');
    await reader.close();
    assert.equal(await reader.insert(card('visa')), false);
    assert.equal(await reader.swipe(card('visa')), false);
  });
});

/** A Visa chip that waits for 60-12, its first half answered. */
async function waiting(t: TestContext): Promise<Stage> {
  const stage = armed(t, '07');
  await stage.reader.insert(card('visa'));
  stage.pty.sent();
  assert.equal(stage.reader.state().chipWaits, true);
  return stage;
}

/** One more transaction with a chip, approved without a proof: its result. */
async function concluded({ pty, reader }: Stage): Promise<string> {
  pty.send(activation('04'));
  await reader.insert(card('visa'));
  pty.sent();
  pty.send(command('60-12', '01 8A023030'));
  const answers: Response[] = responses(pty);
  assert.equal(tagsOf(answers[1]?.data.subarray(2) ?? Buffer.alloc(0)).get('9F27'), '40');
  return answers[1]?.data.toString('hex', 0, 2) ?? '';
}

/** The data of the last of two answers, as hex. */
function lastData(text: string): string {
  return response(text.slice(2 * 16))
    .data.toString('hex')
    .toUpperCase();
}
