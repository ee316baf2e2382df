import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Chip } from '../../../hw-sim/card/chip.ts';
import { Iso8583Host, type HostMode } from '../../../hw-sim/host/iso8583/host.ts';
import { decodeMessage, MalformedMessage } from '../../../hw-sim/host/iso8583/message.ts';
import {
  ascii,
  echoMessage,
  frame,
  mid,
  readerObjects,
  responseCode,
  reversalMessage,
  saleMessage,
  Terminal,
  testBdk,
  testCards,
  tid,
} from './terminal.ts';

const cards = await testCards();
const names = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'];
const visa = cards('visa');

/** 10:15:30 on 25 August in Hong Kong. */
const now = () => new Date('2026-08-25T02:15:30.000Z');
const deadline = { timeout: 20_000 };

async function started(t: TestContext, mode?: HostMode, seed = 1): Promise<{ host: Iso8583Host; terminal: Terminal }> {
  const host = new Iso8583Host({ id: 'EDC', cards: names.map(cards), bdk: testBdk, now, seed });
  t.after(() => host.close());
  await host.listen();
  if (mode) await host.setMode(mode);
  const terminal = await Terminal.open(host.port);
  t.after(() => terminal.end());
  return { host, terminal };
}

/** Comes back once the host has dealt with all that was sent before, because a connection is served in order. */
async function served(terminal: Terminal): Promise<void> {
  assert.match(await terminal.ask(echoMessage('000999')), /^60000000030810/);
}

/** Hexadecimal text, written with blanks between its fields. */
const spaced = (...parts: string[]) => parts.join('').replaceAll(' ', '');

/** Stops the clock, and comes back once somebody waits for so long. */
function timerOf(t: TestContext, wantedMs: number): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stopped = globalThis.setTimeout;
  return new Promise((resolve) => {
    t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
      if (ms === wantedMs) resolve();
      return stopped(run, ms);
    });
  });
}

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

const statuses = (host: Iso8583Host) => host.ledger().map(({ stan, status }) => `${stan} ${status}`);
const findings = (host: Iso8583Host) => host.unexpected.map(({ why }) => why);

describe('a sale', deadline, () => {
  it('is answered to the byte, with a real ARPC, and is in the books once', async (t) => {
    const { host, terminal } = await started(t);
    const answer = await terminal.ask(saleMessage({ card: visa, field49: '344' }));
    const [entry, ...more] = host.ledger();
    assert.ok(entry);
    assert.deepEqual(more, []);
    assert.deepEqual(entry, {
      stan: '000123',
      tid,
      mid,
      nii: '003',
      invoice: '000045',
      rrn: '623710000001',
      approvalCode: entry.approvalCode,
      kind: 'SALE',
      status: 'POSTED',
      amount: '30.00',
      amountMinor: '3000',
      tip: '0.00',
      currency: 'HKD',
      maskedPan: '************0119',
      at: '2026-08-25T02:15:30.000Z',
      batch: null,
      settled: false,
      requests: 1,
      reversals: 0,
    });
    const expected = spaced(
      '6000000003 0210 303801000E800200 000000 000000003000 000123 101530 0825 0003',
      ascii('623710000001'),
      ascii(entry.approvalCode),
      ascii('00'),
      ascii(tid),
      '0014 8A023030 9108',
    );
    assert.equal(answer.slice(0, expected.length), expected);
    // Method 2: four bytes of ARPC, and the card status update of an approval.
    assert.match(answer.slice(expected.length), /^[0-9A-F]{8}00830000$/);
    assert.deepEqual(host.unexpected, []);
    assert.deepEqual(host.declined(), []);
    assert.equal(host.state().approvals, 1);
  });

  for (const name of names) {
    it(`with ${name} is approved`, async (t) => {
      const { host, terminal } = await started(t);
      assert.equal(responseCode(await terminal.ask(saleMessage({ card: cards(name) }))), '00');
      assert.deepEqual(statuses(host), ['000123 POSTED']);
      assert.equal(host.ledger()[0]?.maskedPan, cards(name).pan.slice(-4).padStart(cards(name).pan.length, '*'));
      assert.deepEqual(host.unexpected, []);
    });
  }

  it('of JPY 3000 is 3000, not 30.00', async (t) => {
    const { host, terminal } = await started(t);
    await terminal.ask(saleMessage({ card: visa, currencyNumeric: '0392' }));
    assert.deepEqual(
      host.ledger().map(({ amount, currency }) => `${amount} ${currency}`),
      ['3000 JPY'],
    );
  });

  it('that comes again is 94 and not posted again, under whatever card data', async (t) => {
    const { host, terminal } = await started(t);
    const message = saleMessage({ card: visa });
    assert.equal(responseCode(await terminal.ask(message)), '00');
    assert.equal(responseCode(await terminal.ask(message)), '94');
    assert.equal(responseCode(await terminal.ask(saleMessage({ card: cards('jcb'), transaction: 2 }))), '94');
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    assert.equal(host.ledger()[0]?.requests, 3);
    assert.deepEqual(host.unexpected, []);
  });

  it('under the same trace number and another network identifier is another sale', async (t) => {
    const { host, terminal } = await started(t);
    const chip = new Chip(visa);
    assert.equal(responseCode(await terminal.ask(saleMessage({ card: visa, chip }))), '00');
    const other = saleMessage({ card: visa, chip, transaction: 2, field24: '0004' });
    assert.equal(responseCode(await terminal.ask(other)), '00');
    assert.equal(host.ledger().length, 2);
  });

  it('with a wrong cryptogram is 63, without a posting or an ARPC', async (t) => {
    const { host, terminal } = await started(t);
    const answer = await terminal.ask(
      saleMessage({ card: visa, emv: (objects) => objects.set('9F37', Buffer.from('52BF4586', 'hex')) }),
    );
    assert.equal(responseCode(answer), '63');
    assert.equal(answer.slice(14, 30), '303801000A800000');
    assert.deepEqual(host.ledger(), []);
    assert.deepEqual(
      host.declined().map(({ stan, responseCode: code }) => `${stan} ${code}`),
      ['000123 63'],
    );
    assert.equal(host.state().approvals, 0);
  });

  const refusals: [name: string, code: string, finding: string | undefined, message: () => string][] = [
    [
      'an unknown card',
      '14',
      undefined,
      () => saleMessage({ card: visa, track2: '4111111111111111D3112201175892FF'.slice(0, 30) }),
    ],
    [
      'another expiry date',
      '54',
      undefined,
      () => saleMessage({ card: visa, track2: '4761739001010119D30122011758928F' }),
    ],
    [
      'another amount in field 4',
      '13',
      'field 4 is not 9F02',
      () => saleMessage({ card: visa, field4: '000000000300' }),
    ],
    ['no amount at all', '13', undefined, () => saleMessage({ card: visa, amountMinor: 0n })],
    ['another currency in field 49', '12', 'field 49 is not 5F2A', () => saleMessage({ card: visa, field49: '840' })],
    [
      'a currency that is not settled here',
      '12',
      undefined,
      () => saleMessage({ card: visa, currencyNumeric: '0999' }),
    ],
    [
      'a card that declined offline',
      '12',
      'a card that did not ask to go online',
      () => saleMessage({ card: visa, emv: (objects) => objects.set('9F27', Buffer.of(0)) }),
    ],
  ];
  for (const [name, code, finding, message] of refusals) {
    it(`with ${name} is ${code}`, async (t) => {
      const { host, terminal } = await started(t);
      assert.equal(responseCode(await terminal.ask(message())), code);
      assert.deepEqual(host.ledger(), []);
      assert.deepEqual(findings(host), finding === undefined ? [] : [finding]);
    });
  }

  it('with a key or a counter that was used before is noted', async (t) => {
    const { host, terminal } = await started(t);
    const chip = new Chip(visa);
    await terminal.ask(saleMessage({ card: visa, chip, stan: '000001' }));
    await terminal.ask(saleMessage({ card: visa, chip, stan: '000002' }));
    await terminal.ask(saleMessage({ card: visa, stan: '000003', transaction: 2 }));
    assert.deepEqual(findings(host), [
      'a key serial number that was used before',
      'a transaction counter that was used before',
    ]);
  });

  it('with card data in the clear is noted, without the data', async (t) => {
    const { host, terminal } = await started(t);
    const leak = (objects: Map<string, Buffer>) => objects.set('5A', Buffer.from(visa.pan, 'hex'));
    await terminal.ask(saleMessage({ card: visa, emv: leak }));
    assert.deepEqual(
      host.unexpected.map(({ why, hex }) => [why, hex]),
      [['tag 5A in the clear', '']],
    );
    assert.ok(!JSON.stringify([host.state(), host.ledger(), host.unexpected]).includes(visa.pan));
  });

  it('arrives in any pieces, and together with others', async (t) => {
    const { host, terminal } = await started(t);
    const chip = new Chip(visa);
    for (const byte of frame(saleMessage({ card: visa, chip, stan: '000001' }))) terminal.write(Buffer.of(byte));
    assert.equal(responseCode(await terminal.next()), '00');
    const second = frame(saleMessage({ card: visa, chip, stan: '000002', transaction: 2 }));
    const third = frame(saleMessage({ card: visa, chip, stan: '000003', transaction: 3 }));
    terminal.write(Buffer.concat([second, third.subarray(0, 50)]));
    assert.equal(responseCode(await terminal.next()), '00');
    terminal.write(third.subarray(50));
    assert.equal(responseCode(await terminal.next()), '00');
    assert.deepEqual(statuses(host), ['000001 POSTED', '000002 POSTED', '000003 POSTED']);
    assert.deepEqual(host.unexpected, []);
  });
});

describe('a reversal', deadline, () => {
  for (const name of ['visa', 'amex']) {
    it(`of a sale with ${name} takes it back once, however often it comes`, async (t) => {
      const { host, terminal } = await started(t);
      const card = cards(name);
      await terminal.ask(saleMessage({ card }));
      const answer = await terminal.ask(reversalMessage({ card }));
      const rrn = ascii(host.ledger()[0]?.rrn ?? '');
      const head = '6000000003 0410 303801000A800000 000000 000000003000 000123 101530 0825 0003';
      assert.equal(answer, spaced(head, rrn, ascii('00'), ascii(tid)));
      const reversed = host.ledger();
      assert.equal(await terminal.ask(reversalMessage({ card }, '0401')), answer);
      assert.deepEqual(statuses(host), ['000123 REVERSED']);
      assert.deepEqual(
        host.ledger(),
        reversed.map((entry) => ({ ...entry, reversals: 2 })),
      );
      assert.deepEqual(host.unexpected, []);
    });
  }

  it('of something else is 25 and changes nothing', async (t) => {
    const { host, terminal } = await started(t);
    await terminal.ask(saleMessage({ card: visa }));
    const others = [
      reversalMessage({ card: visa, stan: '000124' }),
      reversalMessage({ card: visa, field4: '000000003001' }),
      reversalMessage({ card: cards('jcb') }),
      reversalMessage({ card: visa }).replace(ascii(tid), ascii('12345679')),
    ];
    for (const other of others) assert.equal(responseCode(await terminal.ask(other)), '25');
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    assert.equal(host.ledger()[0]?.reversals, 0);
    assert.equal(host.state().reversalRequests, 4);
    assert.deepEqual(host.unexpected, []);
  });

  it('of a declined sale is 25: it was no posting', async (t) => {
    const { host, terminal } = await started(t, { mode: 'up', decline: '51' });
    assert.equal(responseCode(await terminal.ask(saleMessage({ card: visa }))), '51');
    assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa }))), '25');
    assert.deepEqual(host.ledger(), []);
  });

  it('takes back the sale that stands, where its trace number was used twice', async (t) => {
    const { host, terminal } = await started(t);
    const chip = new Chip(visa);
    await terminal.ask(saleMessage({ card: visa, chip }));
    await terminal.ask(reversalMessage({ card: visa }));
    assert.equal(responseCode(await terminal.ask(saleMessage({ card: visa, chip, transaction: 2 }))), '00');
    assert.deepEqual(statuses(host), ['000123 REVERSED', '000123 POSTED']);
    assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa, transaction: 2 }))), '00');
    assert.deepEqual(
      host.ledger().map(({ status, reversals }) => [status, reversals]),
      [
        ['REVERSED', 1],
        ['REVERSED', 1],
      ],
    );
  });

  it('without a readable card number is 30 and noted', async (t) => {
    const { host, terminal } = await started(t);
    await terminal.ask(saleMessage({ card: visa }));
    const field48 = readerObjects('57', '4761739001010119D31122011758928F', 1);
    assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa, field48 }))), '30');
    assert.deepEqual(findings(host), ['field 48 does not hold an encrypted 5A']);
    assert.deepEqual(statuses(host), ['000123 POSTED']);
  });
});

describe('other messages', deadline, () => {
  it('an echo is answered', async (t) => {
    const { host, terminal } = await started(t);
    const answer = await terminal.ask(echoMessage('000007'));
    assert.equal(
      answer,
      spaced('6000000003 0810 2038010002800000 990000 000007 101530 0825 0003', ascii('00'), ascii(tid)),
    );
    assert.deepEqual(host.unexpected, []);
  });

  it('a type or a processing code that is none is 12 and noted', async (t) => {
    const { host, terminal } = await started(t);
    const fileAction = echoMessage('000007').replace(/^0800/, '0300');
    const answer = await terminal.ask(fileAction);
    assert.equal(answer.slice(10, 14), '0310');
    assert.equal(answer.slice(-4 - 16, -16), ascii('12'));
    const transfer = saleMessage({ card: visa }).replace('3020078000C10204000000', '3020078000C10204400000');
    assert.equal(responseCode(await terminal.ask(transfer)), '12');
    assert.deepEqual(findings(host), ['a message of type 0300', 'a processing code that is nothing in a 0200']);
    assert.equal(host.unexpected[0]?.hex, fileAction);
    assert.deepEqual(host.ledger(), []);
  });

  it('a sale with track 2 in the clear and nothing encrypted is 30, noted without the track', async (t) => {
    const { host, terminal } = await started(t);
    // fixtures/messages/iso8583.json, 0200 sale: right as a codec vector, but this terminal must never send field 35.
    const sample =
      '02003020078020C0020400000000000000300000012300510001000300344761739001010119D22122011758928889313233343536373831323334353637383930313233343501099F26087A788EA6B8A3E7339F2701809F100706011203A0B8009F370452BF45859F3602001C950580000480009A032608259C01009F02060000000030005F2A020344820218009F1A0203449F03060000000000009F3303E0F8C89F34034203009F3501228407A00000000310100006303030303435';
    assert.equal(responseCode(await terminal.ask(sample)), '30');
    assert.deepEqual(findings(host), ['field 35 in the clear', 'a sale without field 48']);
    assert.ok(!JSON.stringify(host.unexpected).includes('4761739001010119'));
  });

  it('an answer in place of a request closes the connection', async (t) => {
    const { host, terminal } = await started(t);
    terminal.write(frame(echoMessage('000001').replace(/^0800/, '0810')));
    await terminal.closed();
    assert.equal(terminal.unread, 0);
    assert.deepEqual(findings(host), ['a message of type 0810']);
  });

  const noMessages: [string, Buffer][] = [
    ['noise', Buffer.from('GET / HTTP/1.1\r\n\r\n', 'latin1')],
    ['a frame without a message', frame('F'.repeat(40))],
    ['a length of 0', Buffer.alloc(4)],
  ];
  for (const [name, bytes] of noMessages) {
    it(`${name}: noted, the connection closed, nothing answered`, async (t) => {
      const { host, terminal } = await started(t);
      terminal.write(bytes);
      await terminal.closed();
      assert.equal(terminal.unread, 0);
      assert.equal(host.unexpected.length, 1);
      assert.equal(host.state().unexpected, 1);
      const next = await Terminal.open(host.port);
      await served(next);
      await next.end();
    });
  }

  it('every truncation of a sale is refused and posts nothing', async (t) => {
    const { host, terminal } = await started(t);
    const sale = saleMessage({ card: visa });
    const cuts = Array.from({ length: sale.length / 2 }, (_, bytes) => sale.slice(0, 2 * bytes));
    await Promise.all(
      cuts.map(async (cut, bytes) => {
        const link = await Terminal.open(host.port);
        link.write(frame(cut));
        await link.closed();
        assert.equal(link.unread, 0, `${bytes} bytes were answered`);
      }),
    );
    assert.deepEqual(host.ledger(), []);
    assert.equal(host.unexpected.length, cuts.length);
    assert.equal(responseCode(await terminal.ask(sale)), '00');
  });

  it('a frame that is not whole after 55 seconds is noted and the connection closed', async (t) => {
    const { host, terminal } = await started(t);
    const armed = timerOf(t, 55_000);
    terminal.write(Buffer.concat([frame(echoMessage('000001')), frame(echoMessage('000002')).subarray(0, 9)]));
    await terminal.next();
    await armed;
    t.mock.timers.tick(54_999);
    assert.deepEqual(host.unexpected, []);
    t.mock.timers.tick(1);
    await terminal.closed();
    assert.deepEqual(findings(host), ['a frame that was not completed in time']);
  });

  it('a frame that is completed in time is answered, and the next one has the whole time again', async (t) => {
    const { host, terminal } = await started(t);
    const [first, second] = [frame(echoMessage('000001')), frame(echoMessage('000002'))];
    const armed = timerOf(t, 55_000);
    terminal.write(first.subarray(0, 9));
    await armed;
    t.mock.timers.tick(50_000);
    terminal.write(Buffer.concat([first.subarray(9), second.subarray(0, 9)]));
    await terminal.next();
    t.mock.timers.tick(50_000);
    terminal.write(second.subarray(9));
    await terminal.next();
    t.mock.timers.tick(100_000);
    await served(terminal);
    assert.deepEqual(host.unexpected, []);
  });

  it('a connection that ends inside a frame is noted', async (t) => {
    const { host, terminal } = await started(t);
    terminal.write(frame(saleMessage({ card: visa })).subarray(0, 40));
    await terminal.end();
    assert.deepEqual(findings(host), ['the connection ended inside a frame']);
    assert.deepEqual(host.ledger(), []);
  });
});

describe('modes', deadline, () => {
  it('silent: posts and never answers, but answers the reversal', async (t) => {
    const { host, terminal } = await started(t, { mode: 'silent' });
    terminal.write(frame(saleMessage({ card: visa })));
    await served(terminal);
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa }))), '00');
    assert.deepEqual(statuses(host), ['000123 REVERSED']);
    assert.equal(terminal.unread, 0);
  });

  for (const mode of ['silent', 'late'] as const) {
    it(`${mode} with reversals: the reversal is carried out and unanswered, its repeat is answered later`, async (t) => {
      const { host, terminal } = await started(t, { mode, delayMs: 600_000, reversals: true });
      terminal.write(frame(saleMessage({ card: visa })));
      terminal.write(frame(reversalMessage({ card: visa })));
      await served(terminal);
      assert.deepEqual(statuses(host), ['000123 REVERSED']);
      await host.setMode({ mode: 'up' });
      assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa }, '0401'))), '00');
      assert.equal(host.ledger()[0]?.reversals, 2);
    });
  }

  it('late: posts at once and answers after the delay, 8 seconds by default', async (t) => {
    const { host, terminal } = await started(t, { mode: 'late' });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    terminal.write(frame(saleMessage({ card: visa })));
    await served(terminal);
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    t.mock.timers.tick(7999);
    await served(terminal);
    t.mock.timers.tick(1);
    assert.equal(responseCode(await terminal.next()), '00');
  });

  it('late: an answer still comes after the mode has changed, and none after a reset', async (t) => {
    const { host, terminal } = await started(t, { mode: 'late', delayMs: 100 });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const chip = new Chip(visa);
    terminal.write(frame(saleMessage({ card: visa, chip, stan: '000001' })));
    await served(terminal);
    await host.setMode({ mode: 'up' });
    t.mock.timers.tick(100);
    assert.equal((await terminal.next()).slice(48, 54), '000001');

    await host.setMode({ mode: 'late', delayMs: 100 });
    terminal.write(frame(saleMessage({ card: visa, chip, stan: '000002', transaction: 2 })));
    await served(terminal);
    await host.reset();
    t.mock.timers.tick(1000);
    await served(terminal);
    assert.equal(terminal.unread, 0);
  });

  it('late: nothing waits any more for a terminal that has gone', async (t) => {
    const { host, terminal } = await started(t, { mode: 'late', delayMs: 600_000 });
    const before = timers();
    terminal.write(frame(saleMessage({ card: visa })));
    await served(terminal);
    assert.equal(timers(), before + 1);
    const gone = new Promise<void>((resolve) => {
      host.onChange(() => host.state().connections === 0 && resolve());
    });
    await terminal.end();
    await gone;
    assert.equal(timers(), before);
  });

  it('up with a delay: every answer waits', async (t) => {
    const { terminal } = await started(t, { mode: 'up', delayMs: 300 });
    const armed = timerOf(t, 300);
    const answer = terminal.ask(echoMessage('000001'));
    await armed;
    assert.equal(terminal.unread, 0);
    t.mock.timers.tick(300);
    assert.match(await answer, /^60000000030810/);
  });

  it('garbage: posts, and answers a whole frame that holds no message, with any seed', async (t) => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const { host, terminal } = await started(t, { mode: 'garbage' }, seed);
      const answer = await terminal.ask(saleMessage({ card: visa }));
      assert.match(answer, /^6000000003../, `seed ${seed}`);
      assert.throws(() => decodeMessage(Buffer.from(answer.slice(10), 'hex')), MalformedMessage, `seed ${seed}`);
      assert.deepEqual(statuses(host), ['000123 POSTED']);
      assert.equal(responseCode(await terminal.ask(reversalMessage({ card: visa }))), '00');
      seen.add(answer);
    }
    assert.equal(seen.size, 30);
  });

  it('garbage is the same again with the same seed', async (t) => {
    const answers: string[] = [];
    for (let run = 0; run < 2; run++) {
      const { terminal } = await started(t, { mode: 'garbage' }, 42);
      answers.push(await terminal.ask(saleMessage({ card: visa })));
    }
    assert.equal(answers[0], answers[1]);
  });

  it('duplicate: every answer twice, posted once', async (t) => {
    const { host, terminal } = await started(t, { mode: 'duplicate' });
    const first = await terminal.ask(saleMessage({ card: visa }));
    assert.equal(await terminal.next(), first);
    const reversed = await terminal.ask(reversalMessage({ card: visa }));
    assert.equal(responseCode(reversed), '00');
    assert.equal(await terminal.next(), reversed);
    assert.equal(host.ledger().length, 1);
    assert.deepEqual(
      host.ledger().map(({ requests, reversals }) => [requests, reversals]),
      [[1, 1]],
    );
  });

  it('closeAfterRequest: posts and closes without an answer; echo and reversal work', async (t) => {
    const { host, terminal } = await started(t, { mode: 'closeAfterRequest' });
    await served(terminal);
    terminal.write(frame(saleMessage({ card: visa })));
    await terminal.closed();
    assert.equal(terminal.unread, 0);
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    const again = await Terminal.open(host.port);
    assert.equal(responseCode(await again.ask(reversalMessage({ card: visa }))), '00');
    await again.end();
    assert.deepEqual(statuses(host), ['000123 REVERSED']);
  });

  it('closeAfterRequest: what came in together with the sale is not looked at', async (t) => {
    const { host, terminal } = await started(t, { mode: 'closeAfterRequest' });
    const chip = new Chip(visa);
    const first = frame(saleMessage({ card: visa, chip, stan: '000001' }));
    terminal.write(Buffer.concat([first, frame(saleMessage({ card: visa, chip, stan: '000002', transaction: 2 }))]));
    await terminal.closed();
    assert.deepEqual(statuses(host), ['000001 POSTED']);
  });

  it('overtaken: closes, knows nothing of the sale when it is reversed, and posts it then; again reversed, it is', async (t) => {
    const { host, terminal } = await started(t, { mode: 'overtaken' });
    terminal.write(frame(saleMessage({ card: visa })));
    await terminal.closed();
    assert.deepEqual(statuses(host), []);
    const again = await Terminal.open(host.port);
    assert.equal(responseCode(await again.ask(reversalMessage({ card: visa }))), '25');
    assert.deepEqual(statuses(host), ['000123 POSTED']);
    assert.equal(responseCode(await again.ask(reversalMessage({ card: visa }))), '00');
    await again.end();
    assert.deepEqual(statuses(host), ['000123 REVERSED']);
  });

  it('decline: that code with an ARPC, for every sale until the mode is set again', async (t) => {
    const { host, terminal } = await started(t, { mode: 'up', decline: '51' });
    const chip = new Chip(visa);
    const answer = await terminal.ask(saleMessage({ card: visa, chip, stan: '000001' }));
    assert.equal(responseCode(answer), '51');
    assert.match(answer, /8A0235319108[0-9A-F]{8}00000000$/);
    assert.equal(
      responseCode(await terminal.ask(saleMessage({ card: visa, chip, stan: '000002', transaction: 2 }))),
      '51',
    );
    assert.deepEqual(host.ledger(), []);
    assert.deepEqual(
      host.declined().map(({ stan }) => stan),
      ['000001', '000002'],
    );
    await host.setMode({ mode: 'up' });
    assert.equal(
      responseCode(await terminal.ask(saleMessage({ card: visa, chip, stan: '000003', transaction: 3 }))),
      '00',
    );
  });

  it('down: closes connections and the port; up again is the same port with the same books', async (t) => {
    const { host, terminal } = await started(t);
    const { port } = host;
    await terminal.ask(saleMessage({ card: visa }));
    await host.setMode({ mode: 'down' });
    await terminal.closed();
    assert.equal(host.state().listening, false);
    await assert.rejects(Terminal.open(port), { code: 'ECONNREFUSED' });
    await host.setMode({ mode: 'up' });
    assert.equal(host.port, port);
    const again = await Terminal.open(port);
    assert.equal(responseCode(await again.ask(reversalMessage({ card: visa }))), '00');
    await again.end();
    assert.deepEqual(statuses(host), ['000123 REVERSED']);
    assert.deepEqual(host.unexpected, []);
  });

  it('down and up in quick succession end as the last one said', async (t) => {
    const { host } = await started(t);
    await Promise.all((['down', 'up', 'down', 'up', 'down'] as const).map((mode) => host.setMode({ mode })));
    assert.equal(host.state().listening, false);
    await assert.rejects(Terminal.open(host.port), { code: 'ECONNREFUSED' });
    await Promise.all((['up', 'down', 'silent'] as const).map((mode) => host.setMode({ mode })));
    assert.deepEqual([host.state().mode, host.state().listening], ['silent', true]);
  });

  it('up fails, and says so, while another program holds the port', async (t) => {
    const { host } = await started(t);
    await host.setMode({ mode: 'down' });
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(host.port, '127.0.0.1', resolve));
    await assert.rejects(host.setMode({ mode: 'up' }), { code: 'EADDRINUSE' });
    assert.equal(host.state().mode, 'down');
    await new Promise((resolve) => squatter.close(resolve));
    await host.setMode({ mode: 'up' });
    assert.equal(host.state().listening, true);
  });

  const nonsense: [string, HostMode][] = [
    ['an unknown mode', { mode: 'sideways' as 'up' }],
    ['a negative delay', { mode: 'late', delayMs: -1 }],
    ['a delay without end', { mode: 'late', delayMs: Number.POSITIVE_INFINITY }],
    ['a decline that approves', { mode: 'up', decline: '00' }],
    ['a decline that is no code', { mode: 'up', decline: '5' }],
  ];
  for (const [name, mode] of nonsense) {
    it(`refuse ${name} and stay as they are`, async (t) => {
      const { host } = await started(t, { mode: 'silent' });
      await assert.rejects(host.setMode(mode), RangeError);
      assert.equal(host.state().mode, 'silent');
    });
  }
});

describe('hosts', deadline, () => {
  it('two at once have a port, books and modes of their own', async (t) => {
    const edc = await started(t);
    const cup = await started(t, { mode: 'up', decline: '05' });
    assert.notEqual(edc.host.port, cup.host.port);
    const message = saleMessage({ card: cards('unionpay') });
    const answers = await Promise.all([edc.terminal.ask(message), cup.terminal.ask(message)]);
    assert.deepEqual(answers.map(responseCode), ['00', '05']);
    assert.deepEqual([edc.host.ledger().length, cup.host.ledger().length], [1, 0]);
    assert.deepEqual([...edc.host.unexpected, ...cup.host.unexpected], []);
  });

  it('reset is a clean slate on the same port, from any mode', async (t) => {
    const { host, terminal } = await started(t);
    const { port } = host;
    await terminal.ask(saleMessage({ card: visa }));
    terminal.write(frame('0'.repeat(40)));
    await terminal.closed();
    await host.setMode({ mode: 'down' });
    await host.reset();
    const { mode, approvals, saleRequests, unexpected } = host.state();
    assert.deepEqual(
      { mode, approvals, saleRequests, unexpected },
      { mode: 'up', approvals: 0, saleRequests: 0, unexpected: 0 },
    );
    assert.deepEqual([host.ledger(), host.declined(), host.unexpected], [[], [], []]);
    const again = await Terminal.open(port);
    assert.equal(responseCode(await again.ask(saleMessage({ card: visa }))), '00');
    assert.deepEqual(findings(host), [], 'key and counter are new again');
    await again.end();
  });

  it('tell when something changes, until nobody wants to know', async (t) => {
    const { host, terminal } = await started(t);
    let posted: (() => void) | undefined;
    const change = new Promise<void>((resolve) => (posted = resolve));
    const stop = host.onChange(() => {
      if (host.ledger().length === 1) posted?.();
    });
    terminal.write(frame(saleMessage({ card: visa })));
    await change;
    stop();
    let calls = 0;
    host.onChange(() => (calls += 1))();
    await host.setMode({ mode: 'silent' });
    assert.equal(calls, 0);
  });

  it('can be closed with connections open and answers waiting, and stay closed', async (t) => {
    const { host, terminal } = await started(t, { mode: 'late', delayMs: 600_000 });
    terminal.write(frame(saleMessage({ card: visa })));
    await served(terminal);
    await host.close();
    await terminal.closed();
    await host.close();
    await assert.rejects(host.setMode({ mode: 'up' }));
    await assert.rejects(Terminal.open(host.port), { code: 'ECONNREFUSED' });
  });
});
