import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasChip } from '../../../hw-sim/card/card.ts';
import { Neo2Reader } from '../../../hw-sim/reader/neo2/reader.ts';
import {
  aesKeys,
  armed,
  at,
  cancel,
  cancelled,
  card,
  cards,
  keys,
  pollOnDemand,
  ready,
  start,
  tagsOf,
  thirtyDollars,
  whysOf,
} from './stage.ts';
import { command, hex, MemoryPty, response } from './wire.ts';

/** VP3350 user manual p.13: 30 s, 1.00, all interfaces. */
const publishedActivation =
  '5669564f746563683200024000221e9c01009f02060000000001009f0306000000000000dfef370107dfef3c0301006018d1';

describe('questions', () => {
  const exchanges: [name: string, command: string, answer: string][] = [
    ['ping', '5669564F746563683200 18 01 0000 B3CD', '5669564F746563683200 18 00 0000 FA83'],
    ['processor type', '5669564F746563683200 09 02 0000 F0F9', '5669564F746563683200 09 00 0005 DF61024D00 AC4D'],
    [
      'firmware',
      '5669564F746563683200 09 03 0000 C0CE',
      '5669564F746563683200 09 00 0014 DF62114372616E6556656E64695F312E302E3000 E15D',
    ],
    ['poll on demand', pollOnDemand, '5669564f746563683200 01 00 0000 1253'],
  ];
  for (const [name, question, answer] of exchanges) {
    test(`${name}, as published`, (t) => {
      const { pty, reader } = start(t);
      pty.send(question);
      assert.equal(pty.sent(), hex(answer).toString('hex'));
      assert.deepEqual(reader.unexpected, []);
    });
  }

  test('version', (t) => {
    const { pty } = start(t);
    pty.send('5669564F746563683200 29 00 0000 DEA0');
    assert.equal(response(pty.sent()).data.toString('latin1'), 'NEO2 simulator 1.0.0');
  });
});

describe('a transaction', () => {
  test('is armed by the published command', (t) => {
    const { pty, reader } = ready(t);
    pty.send(publishedActivation);
    assert.equal(reader.armed, true);
    const { interfaces, amountMinor, currencyNumeric, transactionType } = reader.state();
    assert.deepEqual(
      { interfaces, amountMinor, currencyNumeric, transactionType },
      {
        interfaces: ['contactless', 'chip', 'stripe'],
        amountMinor: '100',
        currencyNumeric: '0344',
        transactionType: '00',
      },
    );
    assert.equal(pty.sent(), '');
  });

  test('answers with the Visa card, encrypted and masked, byte for byte', async (t) => {
    const { pty, reader } = armed(t);
    assert.equal(await reader.tap(card('visa')), true);
    const answer = response(pty.sent());
    assert.equal(answer.command, '02');
    assert.equal(answer.status, '23');
    assert.equal(reader.armed, false);
    // The two ciphertexts are computed with Python's cryptography package from the key of the published vectors.
    const expected = [
      'C1',
      'DFEE12 0A FFFF9876543210E00001',
      '57 A1 10 476173CCCCCC0119DCCCCCCCCCCCCCCC',
      '57 C1 18 @track2',
      '5A A1 08 476173CCCCCC0119',
      '5A C1 10 @pan',
    ];
    const start = expected.join('').replaceAll(' ', '').replace('@track2', python.track2).replace('@pan', python.pan);
    assert.equal(answer.data.toString('hex', 0, start.length / 2).toUpperCase(), start);
    const clear = tagsOf(answer.data.subarray(start.length / 2));
    assert.equal(clear.get('9F26'), '71C43E4C200FB0AF');
    assert.equal(clear.get('9F27'), '80');
    assert.equal(clear.get('9F36'), '0001');
    assert.equal(clear.get('9F41'), '00000001');
    assert.equal(clear.get('9A'), '261121');
    assert.equal(clear.get('84'), 'A0000000031010');
  });

  test('keyed for AES: longer serial number, blocks of sixteen, another attribution', async (t) => {
    const { pty, reader } = armed(t, '02', aesKeys);
    await reader.tap(card('visa'));
    // Computed with Python's cryptography package from the key of the published vectors.
    const expected = [
      'C3',
      'DFEE12 0C 123456789012345600000001',
      '57 A1 10 476173CCCCCC0119DCCCCCCCCCCCCCCC',
      '57 C1 20 341E4E760AC8B1E1C163C36BE05C2729FEDA9CD71227C2EDF296431FDDA3EFA4',
      '5A A1 08 476173CCCCCC0119',
      '5A C1 10 A7CA845B9C102F68E2E70D600276AA09',
    ];
    const start = expected.join('').replaceAll(' ', '');
    const { data } = response(pty.sent());
    assert.equal(data.toString('hex', 0, start.length / 2).toUpperCase(), start);
  });

  for (const [interfaces, attribution] of [
    ['04', 'c2'],
    ['01', 'ca'],
  ] as const) {
    test(`keyed for AES: attribution ${attribution}`, async (t) => {
      const { pty, reader } = armed(t, interfaces, aesKeys);
      await (interfaces === '04' ? reader.insert(card('visa')) : reader.swipe(card('eps')));
      assert.equal(response(pty.sent()).data.toString('hex', 0, 5), `${attribution}dfee120c`);
      if (interfaces === '04') pty.send(cancel);
    });
  }

  for (const [name, { pan, cardholderName }] of [...cards].filter(([, { interfaces }]) => interfaces.length > 1)) {
    test(`never tells who the holder of ${name} is`, async (t) => {
      const { pty, reader } = armed(t);
      await reader.tap(card(name));
      const { data } = response(pty.sent());
      assert.ok(!data.toString('hex').includes(pan), 'card number, packed');
      assert.ok(!data.includes(pan, 'latin1'), 'card number, text');
      assert.ok(!data.includes(cardholderName, 'latin1'), 'name');
      assert.ok(!data.toString('hex').includes(pan.slice(0, 8)), 'more than its first six digits');
      assert.ok(!data.toString('hex').includes(pan.slice(-6)), 'more than its last four digits');
    });
  }

  test('masks an odd card number and keeps its filler', async (t) => {
    const { pty, reader } = armed(t);
    await reader.tap(card('amex'));
    const text = response(pty.sent()).data.toString('hex').toUpperCase();
    assert.ok(text.includes('5AA108378282CCCCC0005F'));
    assert.ok(text.includes('57A110378282CCCCC0005DCCCCCCCCCCCCCCCC'));
  });

  test('wraps what a Mastercard says in a group', async (t) => {
    const { pty, reader } = armed(t);
    await reader.tap(card('mastercard'));
    const { data } = response(pty.sent());
    assert.equal(data.toString('hex', 0, 15), 'c1dfee120affff9876543210e00001');
    assert.equal(data.toString('hex', 15, 18), 'ff8105');
    // More than 255 bytes, so its length takes three octets.
    assert.equal(data[18], 0x82);
    assert.equal(data.readUInt16BE(19), data.length - 21);
    assert.equal(data.toString('hex', 21, 32), '57a111555555cccccc4444');
  });

  test('takes a new key each time, and each card counts for itself', async (t) => {
    const { pty, reader } = armed(t);
    const reported: string[] = [];
    for (const name of ['visa', 'jcb', 'visa']) {
      if (!reader.armed) pty.send(command('02-40', `1E ${thirtyDollars}`));
      await reader.tap(card(name));
      const { data } = response(pty.sent());
      const atc = /9F3602(....)/.exec(data.toString('hex').toUpperCase())?.[1];
      reported.push(`${data.toString('hex', 12, 15)} ${atc}`);
    }
    assert.deepEqual(reported, ['e00001 0001', 'e00002 0001', 'e00003 0002']);
  });

  test('a new unpredictable number and cryptogram without a source of its own', async (t) => {
    const pty = new MemoryPty();
    const reader = new Neo2Reader(pty, keys);
    t.after(() => reader.close());
    const numbers = new Set<string>();
    pty.send(pollOnDemand);
    for (let i = 0; i < 3; i++) {
      pty.send(command('02-40', `1E ${thirtyDollars}`));
      pty.sent();
      await reader.tap(card('visa'));
      numbers.add(/9f3704(.{8})/.exec(pty.sent())?.[1] ?? '');
    }
    assert.equal(numbers.size, 3);
  });

  test('waits for a card that is there first', async (t) => {
    const { pty, reader } = ready(t);
    const tap = reader.tap(card('visa'));
    assert.equal(reader.state().heldCard, 'visa');
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    assert.equal(await tap, true);
    assert.equal(response(pty.sent()).status, '23');
    assert.equal(reader.state().heldCard, undefined);
  });

  test('tells that it waits, until nobody wants to know', (t) => {
    const { pty, reader } = ready(t);
    let times = 0;
    const stop = reader.onArmed(() => times++);
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    pty.send(cancel);
    stop();
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    assert.equal(times, 1);
  });

  test('a customer who taps as soon as the reader waits', (t) => {
    const { pty, reader } = ready(t);
    const taps: Promise<boolean>[] = [];
    reader.onArmed(() => taps.push(reader.tap(card('visa'))));
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    assert.equal(response(pty.sent()).status, '23');
    assert.equal(taps.length, 1);
  });

  test('times out after the seconds that the command says', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = ready(t);
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    t.mock.timers.tick(29_999);
    assert.equal(pty.sent(), '');
    t.mock.timers.tick(1);
    assert.deepEqual(response(pty.sent()), { command: '02', status: '08', data: Buffer.alloc(0) });
    assert.equal(reader.armed, false);
  });

  test('that is over does not time out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = armed(t);
    await reader.tap(card('visa'));
    pty.sent();
    t.mock.timers.tick(60_000);
    assert.equal(pty.sent(), '');
  });
});

describe('a card that nobody reads', () => {
  test('goes after a while', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = ready(t);
    const tap = reader.tap(card('visa'), 1000);
    t.mock.timers.tick(1000);
    assert.equal(await tap, false);
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    assert.equal(reader.armed, true);
  });

  test('goes when it is taken away, or another takes its place', async (t) => {
    const { reader } = ready(t);
    const first = reader.tap(card('visa'));
    const second = reader.tap(card('jcb'));
    assert.equal(await first, false);
    assert.equal(reader.state().heldCard, 'jcb');
    reader.remove();
    assert.equal(await second, false);
  });
});

describe("a card that the antenna can't see", () => {
  test('has none: it is held there, and nothing happens', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = armed(t, '07');
    const tap = reader.tap(card('eps'), 1000);
    assert.equal(reader.state().heldCard, 'eps');
    t.mock.timers.tick(1000);
    assert.equal(await tap, false);
    assert.equal(pty.sent(), '');
    assert.equal(reader.armed, true);
  });

  test('has a chip, but no antenna', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = armed(t, '07');
    const visa = card('visa');
    assert.ok(hasChip(visa));
    const tap = reader.tap({ ...visa, interfaces: ['chip', 'stripe'] }, 1000);
    t.mock.timers.tick(1000);
    assert.equal(await tap, false);
    assert.equal(pty.sent(), '');
  });

  test('is held to a reader that waits for a chip', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = armed(t, '05');
    const tap = reader.tap(card('visa'), 1000);
    t.mock.timers.tick(1000);
    assert.equal(await tap, false);
    assert.equal(pty.sent(), '');
  });
});

describe('cancel', () => {
  test('ends the transaction, which gets no answer of its own', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = armed(t);
    pty.send(cancel);
    assert.deepEqual(response(pty.sent()), cancelled);
    assert.equal(reader.armed, false);
    t.mock.timers.tick(60_000);
    assert.equal(pty.sent(), '');
    const tap = reader.tap(card('visa'), 10);
    t.mock.timers.tick(10);
    assert.equal(await tap, false);
    assert.equal(pty.sent(), '');
    assert.deepEqual(reader.unexpected, []);
  });

  test('comes behind the answer of a card that crossed it', async (t) => {
    const { pty, reader } = armed(t);
    await reader.tap(card('visa'));
    const answer = pty.sent();
    pty.send(cancel);
    assert.equal(response(answer).command, '02');
    assert.deepEqual(response(pty.sent()), cancelled);
  });

  test('of nothing is fine', (t) => {
    const { pty, reader } = ready(t);
    pty.send(cancel);
    assert.deepEqual(response(pty.sent()), cancelled);
    assert.deepEqual(reader.unexpected, []);
  });

  test('as a reset is fine, as something else is not', (t) => {
    const { pty, reader } = armed(t);
    pty.send(command('05-01', '02'));
    assert.equal(response(pty.sent()).status, '05');
    assert.equal(reader.armed, true);
    pty.send(command('05-01', '01'));
    assert.deepEqual(response(pty.sent()), cancelled);
    assert.equal(reader.armed, false);
    assert.equal(reader.unexpected.length, 1);
  });
});

describe('what no driver should send is recorded', () => {
  for (const [name, data] of [
    ['18-01', ''],
    ['29-00', ''],
    ['01-01', '01'],
    ['02-40', `1E ${thirtyDollars}`],
    ['05-02', ''],
  ] as const) {
    test(`${name} while a transaction waits: it is cancelled, and nothing is answered`, (t) => {
      const { pty, reader } = armed(t);
      pty.send(command(name, data));
      assert.equal(reader.armed, false);
      assert.equal(pty.sent(), '');
      assert.deepEqual(reader.unexpected, [
        { at: at.toISOString(), hex: command(name, data), why: `${name} while 02-40 was under way` },
      ]);
    });
  }

  test('a wrong CRC: answered 04, and a transaction goes on waiting', (t) => {
    const { pty, reader } = armed(t);
    pty.send('5669564F746563683200 05 01 0000 92EE');
    assert.deepEqual(response(pty.sent()), { command: '05', status: '04', data: Buffer.alloc(0) });
    assert.equal(reader.armed, true);
    assert.deepEqual(whysOf(reader), ['a frame whose CRC is wrong']);
  });

  test('a CRC in the order of responses', (t) => {
    const { pty, reader } = start(t);
    pty.send('5669564F746563683200 18 01 0000 CDB3');
    assert.equal(response(pty.sent()).status, '04');
    assert.equal(reader.unexpected.length, 1);
  });

  test('bytes that are no frame: nothing answered', (t) => {
    const { pty, reader } = armed(t);
    pty.send('C0FFEE');
    assert.equal(pty.sent(), '');
    assert.equal(reader.unexpected[0]?.hex, 'c0ffee');
    assert.equal(reader.armed, true);
  });

  test('a frame that does not go on', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = start(t);
    pty.send('5669564F7465636832');
    t.mock.timers.tick(999);
    pty.send('00 18');
    t.mock.timers.tick(999);
    assert.deepEqual(reader.unexpected, []);
    t.mock.timers.tick(1);
    assert.deepEqual(whysOf(reader), ['a frame that did not go on']);
    pty.send(command('18-01'));
    assert.equal(response(pty.sent()).status, '00');
  });

  const refused: [command: string, data: string, status: string, why: RegExp][] = [
    ['61-17', '', '02', /61-17 is not known/],
    ['18-02', '', '03', /18-02 is not known/],
    ['18-01', '00', '05', /takes no data/],
    ['01-01', '', '05', /01-01 takes/],
    ['01-01', '02', '05', /01-01 takes/],
    ['02-40', '', '05', /without a time-out/],
    ['02-40', `00 ${thirtyDollars}`, '05', /time-out of 0/],
    ['02-40', '1E 9C0100', '05', /without an amount/],
    ['02-40', '1E 9F02050000003000', '05', /without an amount/],
    ['02-40', '1E 9F020600000000300A', '05', /without an amount/],
    ['02-40', `1E ${thirtyDollars} 9C`, '05', /no list of data objects/],
    ['02-40', `1E ${thirtyDollars} 9C0100`, '05', /twice/],
    ['02-40', '1E 9F0206000000003000 DFEF370100', '05', /names no interface/],
    ['02-40', '1E 9F0206000000003000 DFEF370108', '05', /one that there is not/],
    ['02-40', '1E 9F0206000000003000 DFEF3700', '05', /names no interface/],
    ['02-40', '1E 9F0206000000003000 DFEF37020202', '05', /names no interface/],
    ['02-40', '1E 9F0206000000003000 DFEF3C020100', '05', /DFEF3C/],
    ['02-40', '1E 9F0206000000003000 DFEF3C03020060', '05', /DFEF3C/],
    ['02-40', '1E 9F0206000000003000 5F2A0203FF', '05', /digits that are none/],
    ['02-40', '1E 9F0206000000003000 9C020000', '05', /digits that are none/],
  ];
  for (const [name, data, status, why] of refused) {
    test(`${name} with '${data}': status ${status}`, (t) => {
      const { pty, reader } = ready(t);
      pty.send(command(name, data));
      assert.equal(response(pty.sent()).status, status);
      assert.equal(reader.armed, false);
      assert.match(reader.unexpected[0]?.why ?? '', why);
    });
  }

  test('02-40 before poll on demand', (t) => {
    const { pty, reader } = start(t);
    pty.send(publishedActivation);
    assert.equal(response(pty.sent()).status, '0b');
    assert.equal(reader.armed, false);
    assert.equal(reader.unexpected.length, 1);
  });

  test('but not for ever', (t) => {
    const { pty, reader } = start(t);
    for (let i = 0; i < 1000; i++) pty.send('FF');
    assert.equal(reader.unexpected.length, 200);
  });
});

describe('faults', () => {
  const pong = '5669564f746563683200180000 00fa83'.replace(' ', '');

  test('garble: the next answer arrives with a wrong CRC, the one after it whole', (t) => {
    const { pty, reader } = start(t);
    void reader.fault({ garble: true });
    pty.send(command('18-01'));
    const garbled = pty.sent();
    assert.equal(garbled.length, pong.length);
    assert.notEqual(garbled, pong);
    assert.throws(() => response(garbled));
    pty.send(command('18-01'));
    assert.equal(pty.sent(), pong);
  });

  test('dropNext: the next answer is lost', (t) => {
    const { pty, reader } = start(t);
    void reader.fault({ dropNext: true });
    pty.send(command('18-01'));
    assert.equal(pty.sent(), '');
    pty.send(command('18-01'));
    assert.equal(pty.sent(), pong);
  });

  test('garbageBefore: bytes come before the next answer', (t) => {
    const { pty, reader } = start(t);
    void reader.fault({ garbageBefore: true });
    pty.send(command('18-01') + command('18-01'));
    assert.match(pty.sent(), new RegExp(`^.{4,}${pong}${pong}$`));
  });

  test('splitBytes: every answer comes byte by byte, in order, until it is switched off', async (t) => {
    const { pty, reader } = start(t);
    await reader.fault({ splitBytes: true });
    pty.send(command('18-01') + command('09-02'));
    const expected = `${pong}5669564f74656368320009000005df61024d00ac4d`;
    await turns(expected.length / 2);
    assert.equal(pty.writes, expected.length / 2);
    assert.equal(pty.sent(), expected);
    await reader.fault({ splitBytes: false });
    pty.send(command('18-01'));
    assert.equal(pty.writes, 1);
  });

  test('splitBytes: what comes after it waits for its bytes', async (t) => {
    const { pty, reader } = start(t);
    await reader.fault({ splitBytes: true });
    pty.send(command('18-01'));
    await reader.fault({ splitBytes: false });
    pty.send(command('09-02'));
    const expected = `${pong}5669564f74656368320009000005df61024d00ac4d`;
    await turns(expected.length / 2);
    assert.equal(pty.sent(), expected);
  });

  test('a fault that is taken back does not happen', async (t) => {
    const { pty, reader } = armed(t);
    await reader.fault({ garble: true, dropNext: true, collision: true });
    await reader.fault({ garble: false, dropNext: false, collision: false });
    await reader.tap(card('visa'));
    assert.equal(response(pty.sent()).status, '23');
  });

  for (const [name, code] of [
    ['collision', '21'],
    ['unsupported', '27'],
    ['overLimit', '22'],
    ['cardLost', '30'],
  ] as const) {
    test(`${name}: the next card fails with ${code}, the one after it is read`, async (t) => {
      const { pty, reader } = armed(t);
      await reader.fault({ [name]: true });
      assert.equal(await reader.tap(card('visa')), true);
      assert.deepEqual(response(pty.sent()), { command: '02', status: '0a', data: hex(`FFEE1F 04 ${code} 0000 00`) });
      assert.equal(reader.armed, false);
      pty.send(command('02-40', `1E ${thirtyDollars}`));
      await reader.tap(card('visa'));
      // No key is spent on a card that was not read.
      assert.match(response(pty.sent()).data.toString('hex'), /^c1dfee120affff9876543210e00001/);
    });
  }

  test('unplug: the wire is gone, and nothing of the transaction is left when it is back', async (t) => {
    const { pty, reader } = armed(t);
    pty.send('5669564F');
    await reader.fault({ unplug: true });
    assert.equal(pty.plugged, false);
    assert.equal(reader.state().connected, false);
    assert.equal(reader.armed, false);
    await reader.fault({ unplug: false });
    assert.equal(pty.plugged, true);
    assert.equal(reader.state().pollOnDemand, false);
    pty.send(command('18-01'));
    assert.equal(pty.sent(), pong);
    assert.deepEqual(reader.unexpected, []);
  });

  test('reset clears faults, findings and the card, and plugs in; what was armed stays', async (t) => {
    const { pty, reader } = ready(t);
    const tap = reader.tap(card('visa'));
    pty.send('FF');
    await reader.fault({ garble: true, collision: true, splitBytes: true });
    await reader.reset();
    assert.equal(await tap, false);
    assert.deepEqual(reader.unexpected, []);
    pty.send(command('02-40', `1E ${thirtyDollars}`));
    await reader.reset();
    assert.equal(reader.armed, true);
    await reader.tap(card('visa'));
    assert.equal(response(pty.sent()).status, '23');
    await reader.fault({ unplug: true });
    await reader.reset();
    assert.equal(pty.plugged, true);
  });

  test('closed: deaf, mute and without a card', async (t) => {
    const { pty, reader } = armed(t);
    await reader.close();
    pty.send(command('18-01'));
    assert.equal(pty.sent(), '');
    assert.equal(reader.armed, false);
    assert.equal(await reader.tap(card('visa')), false);
  });
});

/** 57 and 5A of the Visa card under the data key of FFFF9876543210E00001. */
const python = {
  track2: '86E0D13F594DED609564CC183B923FC452E7AF878C7AE3DA',
  pan: 'F9A2A5F0D3F648B8DD180341320CD753',
};

/** Turns of the event loop: one byte leaves in each. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
