import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { decodeMessage, MalformedMessage } from '../../../hw-sim/host/iso8583/message.ts';
import { cards, findings, postings, started } from './started.ts';
import {
  ascii,
  echoMessage,
  frame,
  lll,
  mid,
  readerObjects,
  responseCode,
  Terminal,
  testBdk,
  tid,
} from './terminal.ts';
import { doneOf, type Other, Till } from './till.ts';

const deadline = { timeout: 20_000 };
const spaced = (...parts: string[]) => parts.join('').replaceAll(' ', '');

/** What every answer to one of these begins with: TPDU, type, bitmap, 3, 4, 11, 12, 13, 24. */
const head = (type: string, bitmap: string, processing: string, amount: string, stan: string) =>
  spaced(`6000000003 ${type} ${bitmap} ${processing} ${amount} ${stan} 101530 0825 0003`);

describe('messages, to the byte', deadline, () => {
  it('sale with tip: the tip is part of the amount', async (t) => {
    const { host, till } = await started(t);
    const { code } = await till.sale(3300, { tip: 300 });
    assert.equal(code, '00');
    const [entry] = host.ledger();
    assert.deepEqual([entry?.kind, entry?.amount, entry?.tip, entry?.amountMinor], ['SALE', '33.00', '3.00', '3300']);
    assert.deepEqual(findings(host), []);
  });

  it('auth: 0110 as 0210', async (t) => {
    const { host, till } = await started(t);
    const auth = await till.auth(3000);
    const fixed = head('0110', '303801000E800200', '000000', '000000003000', '000001');
    const { rrn, approvalCode } = host.ledger()[0] ?? { rrn: '', approvalCode: '' };
    const wanted = spaced(fixed, ascii(rrn), ascii(approvalCode), ascii('00'), ascii(tid), '0014 8A023030 9108');
    assert.equal(auth.answer.slice(0, wanted.length), wanted);
    assert.deepEqual(postings(host), ['AUTH 30.00 POSTED']);
    assert.equal(host.state().authRequests, 1);
  });

  it('void: 0210 without 55, with a number of its own', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(3000);
    const message = spaced(
      '0200 303805800CC18004 020000 000000003000 000002 101530 0825 0071 0003 00',
      ascii(sale.rrn),
      ascii(sale.approval),
      ascii(tid),
      ascii(mid),
      lll(readerObjects('5A', '4761739001010119', 1)),
      ascii('344'),
      lll(ascii('000001')),
    );
    assert.equal(till.voidOf(sale).message, message);
    const answer = await terminal.ask(message);
    const done = doneOf(
      { type: '0200', processing: '020000', amount: 3000, stan: '000002', invoice: '000001' },
      answer,
    );
    const fixed = head('0210', '303801000E800000', '020000', '000000003000', '000002');
    assert.equal(answer, spaced(fixed, ascii(done.rrn), ascii(done.approval), ascii('00'), ascii(tid)));
    assert.notEqual(done.rrn, sale.rrn);
    assert.deepEqual(postings(host), ['SALE 30.00 VOIDED']);
    assert.deepEqual([host.state().voidRequests, host.state().approvals], [1, 2]);
    assert.deepEqual(findings(host), []);
  });

  it('refund, and void of a refund with and without an approval code', async (t) => {
    const { host, terminal, till } = await started(t);
    const first = await till.refund(500);
    const second = await till.refund(700);
    assert.match(first.answer, /^60000000030210303801000E800200200000000000000500000001/);
    assert.equal((await till.void(first)).code, '00');
    const { message } = till.voidOf(second);
    const without = message.replace('303805800CC18004', '3038058008C18004').replace(ascii(second.approval), '');
    assert.equal(responseCode(await terminal.ask(without)), '00');
    assert.deepEqual(postings(host), ['REFUND 5.00 VOIDED', 'REFUND 7.00 VOIDED']);
    assert.equal(host.state().refundRequests, 2);
    assert.deepEqual(findings(host), []);
  });

  it('offline sale: 0230', async (t) => {
    const { host, terminal, till } = await started(t);
    const message = spaced(
      '0220 3038058004C18004 000000 000000004200 000001 101459 0825 0071 0003 00',
      ascii('PHONE1'),
      ascii(tid),
      ascii(mid),
      lll(readerObjects('5A', '4761739001010119', 1)),
      ascii('344'),
      lll(ascii('000001')),
    );
    assert.equal(till.offline(4200).message, message);
    const answer = await terminal.ask(message);
    const fixed = head('0230', '303801000A800000', '000000', '000000004200', '000001');
    assert.equal(answer, spaced(fixed, ascii(host.ledger()[0]?.rrn ?? ''), ascii('00'), ascii(tid)));
    assert.equal(host.ledger()[0]?.approvalCode, 'PHONE1');
    assert.deepEqual(postings(host), ['OFFLINE_SALE 42.00 POSTED']);
    assert.deepEqual(findings(host), []);
  });

  it('completion: 0230 with a number of its own', async (t) => {
    const { host, terminal, till } = await started(t);
    const auth = await till.auth(3000);
    const message = spaced(
      '0220 303805800EC18014 000000 000000002500 000002 101530 0825 0071 0003 00',
      ascii(auth.rrn),
      ascii(auth.approval),
      ascii('00'),
      ascii(tid),
      ascii(mid),
      lll(readerObjects('5A', '4761739001010119', 1)),
      ascii('344'),
      lll(ascii('000000003000')),
      lll(ascii('000002')),
    );
    assert.equal(till.completion(auth, 2500).message, message);
    const answer = await terminal.ask(message);
    const rrn = host.ledger()[1]?.rrn ?? '';
    const fixed = head('0230', '303801000A800000', '000000', '000000002500', '000002');
    assert.equal(answer, spaced(fixed, ascii(rrn), ascii('00'), ascii(tid)));
    assert.notEqual(rrn, auth.rrn);
    assert.deepEqual(postings(host), ['AUTH 30.00 COMPLETED', 'AUTH_COMP 25.00 POSTED']);
    assert.deepEqual(findings(host), []);
  });

  it('tip adjust: 0230 with the number of its sale', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(3000);
    const message = spaced(
      '0220 303805800CC18414 020000 000000003450 000002 101530 0825 0071 0003 00',
      ascii(sale.rrn),
      ascii(sale.approval),
      ascii(tid),
      ascii(mid),
      lll(readerObjects('5A', '4761739001010119', 1)),
      ascii('344'),
      lll(ascii('000000000450')),
      lll(ascii('000000003000')),
      lll(ascii('000001')),
    );
    assert.equal(till.tipAdjust(sale, 3450, 450).message, message);
    const answer = await terminal.ask(message);
    const fixed = head('0230', '303801000A800000', '020000', '000000003450', '000002');
    assert.equal(answer, spaced(fixed, ascii(sale.rrn), ascii('00'), ascii(tid)));
    assert.deepEqual(
      host.ledger().map(({ amount, tip, status, requests }) => [amount, tip, status, requests]),
      [['34.50', '4.50', 'POSTED', 1]],
    );
    assert.deepEqual(findings(host), []);
  });

  it('a field too many is noted, a field too few is 30', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(3000);
    const completion = till.completion(sale, 3000).message;
    const odd = completion.replace(/^0220/, '0200').replace('000000', '020000');
    assert.equal(responseCode(await terminal.ask(odd)), '25');
    const { message } = till.voidOf(sale);
    const less = message.replace('303805800CC18004', '3038058004C18004').replace(ascii(sale.rrn), '');
    assert.equal(responseCode(await terminal.ask(less)), '30');
    assert.deepEqual(findings(host), ['a void with field 39, 60', 'a void without field 37']);
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
  });
});

describe('a void', deadline, () => {
  const refusals: [name: string, code: string, finding: string | undefined, other: Other][] = [
    ['of another number', '25', undefined, { rrn: '623710000999' }],
    ['of another invoice', '25', undefined, { invoice: '000999' }],
    ['from another terminal', '25', undefined, { tid: '87654321' }],
    ['of a cent less', '13', undefined, { amount: 2999 }],
    ['of a cent more', '13', undefined, { amount: 3001 }],
    ['with another card', '14', 'another card than that of the original', { card: cards('jcb') }],
    ['in another currency', '12', 'another currency than that of the original', { currency: '840' }],
    ['with another approval code', '25', 'another approval code than that of the original', { approval: 'XXXXXX' }],
    ['as of a refund', '12', 'a void with the processing code of another kind', { processing: '220000' }],
  ];
  for (const [name, code, finding, other] of refusals) {
    it(`${name} is ${code}`, async (t) => {
      const { host, till } = await started(t);
      const sale = await till.sale(3000);
      assert.equal((await till.void(sale, other)).code, code);
      assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
      assert.deepEqual(findings(host), finding === undefined ? [] : [finding]);
      assert.deepEqual(
        host.declined().map(({ kind, responseCode: reported }) => [kind, reported]),
        [[other.processing === undefined ? 'VOID' : 'VOID_OF_A_REFUND', code]],
      );
    });
  }

  it('of a refund as of a sale is 12', async (t) => {
    const { host, till } = await started(t);
    assert.equal((await till.void(await till.refund(100), { processing: '020000' })).code, '12');
    assert.deepEqual(postings(host), ['REFUND 1.00 POSTED']);
  });

  it('with another time than answered is noted', async (t) => {
    const { host, till } = await started(t);
    assert.equal((await till.void(await till.sale(3000), { time: '1015310825' })).code, '00');
    assert.deepEqual(findings(host), ['another time than that answered to the original']);
  });

  it('once more is 12, under its own number 94', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    const first = await till.void(sale);
    assert.equal((await till.void(sale, { stan: first.stan })).code, '94');
    assert.equal((await till.void(sale)).code, '12');
    assert.equal((await till.sale(100, { stan: first.stan })).code, '94');
    assert.deepEqual(postings(host), ['SALE 30.00 VOIDED']);
    assert.equal(host.ledger()[0]?.requests, 1);
  });

  it('of a reversed sale is 25', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    await till.reverse(sale);
    assert.equal((await till.void(sale)).code, '25');
    assert.deepEqual(postings(host), ['SALE 30.00 REVERSED']);
  });

  it('is of the total with the tip, and of every kind', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    const adjusted = await till.adjust(sale, 3300, 300);
    assert.equal((await till.void(sale)).code, '13');
    assert.equal((await till.void(adjusted)).code, '00');
    assert.equal((await till.void(await till.offlineSale(700))).code, '00');
    assert.equal((await till.void(await till.auth(800))).code, '00');
    assert.deepEqual(postings(host), ['SALE 33.00 VOIDED', 'OFFLINE_SALE 7.00 VOIDED', 'AUTH 8.00 VOIDED']);
    assert.deepEqual(findings(host), []);
  });

  it('of a completion opens its auth again, and its reversal closes it', async (t) => {
    const { host, till } = await started(t);
    const auth = await till.auth(3000);
    const completion = await till.complete(auth, 3000);
    assert.equal((await till.void(auth)).code, '12');
    const undone = await till.void(completion);
    assert.equal(undone.code, '00');
    assert.deepEqual(postings(host), ['AUTH 30.00 POSTED', 'AUTH_COMP 30.00 VOIDED']);
    assert.equal(await till.reverse(undone), '00');
    assert.deepEqual(postings(host), ['AUTH 30.00 COMPLETED', 'AUTH_COMP 30.00 POSTED']);
    assert.deepEqual(findings(host), []);
  });
});

describe('a reversal', deadline, () => {
  it('takes back auth, refund and void, once however often it comes', async (t) => {
    const { host, till } = await started(t);
    const auth = await till.auth(3000);
    const refund = await till.refund(500);
    const sale = await till.sale(700);
    const voided = await till.void(sale);
    for (const original of [auth, refund, voided]) {
      assert.equal(await till.reverse(original), '00');
      assert.equal(await till.reverse(original, { repeat: true }), '00');
    }
    assert.deepEqual(postings(host), ['AUTH 30.00 REVERSED', 'REFUND 5.00 REVERSED', 'SALE 7.00 POSTED']);
    assert.deepEqual(
      host.ledger().map(({ reversals }) => reversals),
      [2, 2, 0],
    );
    assert.deepEqual(findings(host), []);
    assert.equal((await till.void(sale)).code, '00');
    assert.equal(await till.reverse(voided, { repeat: true }), '00', 'of the first void, which is undone already');
    assert.deepEqual(postings(host).at(-1), 'SALE 7.00 VOIDED');
  });

  it('with another processing code is 25 and noted', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    assert.equal(await till.reverse(sale, { processing: '200000' }), '25');
    assert.deepEqual(findings(host), ['a reversal with another processing code than its original']);
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
  });

  it('of what was voided, completed or settled since is 12 and noted', async (t) => {
    const { host, till } = await started(t);
    const voided = await till.sale(3000);
    await till.void(voided);
    const auth = await till.auth(900);
    await till.complete(auth, 900);
    const settled = await till.sale(100);
    assert.equal(await till.settle(1, { sales: [2, 1000] }), '00');
    for (const original of [voided, auth, settled]) assert.equal(await till.reverse(original), '12');
    assert.deepEqual(findings(host), Array(3).fill('a reversal of what was settled, voided or completed since'));
    assert.deepEqual(postings(host), [
      'SALE 30.00 VOIDED',
      'AUTH 9.00 COMPLETED',
      'AUTH_COMP 9.00 POSTED',
      'SALE 1.00 POSTED',
    ]);
  });

  it('of an advice, and of a void that was declined, is 25', async (t) => {
    const { host, till } = await started(t, { mode: 'up', declineVoids: '05' });
    const offline = await till.offlineSale(700);
    assert.equal(await till.reverse(offline), '25');
    const refused = await till.void(offline);
    assert.equal(refused.code, '05');
    assert.equal(await till.reverse(refused), '25');
    assert.deepEqual(postings(host), ['OFFLINE_SALE 7.00 POSTED']);
  });
});

describe('advices', deadline, () => {
  it('repeated are answered the same and posted once', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(1000);
    const auth = await till.auth(2000);
    const advices = [till.offline(3000), till.completion(auth, 2000), till.tipAdjust(sale, 1100, 100)];
    for (const { message } of advices) {
      const answer = await terminal.ask(message);
      assert.equal(responseCode(answer), '00');
      assert.equal(await terminal.ask(message.replace(/^0220/, '0221')), answer);
    }
    assert.deepEqual(postings(host), [
      'SALE 11.00 POSTED',
      'AUTH 20.00 COMPLETED',
      'OFFLINE_SALE 30.00 POSTED',
      'AUTH_COMP 20.00 POSTED',
    ]);
    assert.deepEqual(
      host.ledger().map(({ requests }) => requests),
      [1, 1, 2, 2],
    );
    assert.equal(host.state().adviceRequests, 6);
    assert.deepEqual(findings(host), []);
  });

  it('repeated after a later tip adjust do not bring the earlier one back', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(1000);
    const first = till.tipAdjust(sale, 1100, 100);
    await terminal.ask(first.message);
    await till.adjust({ ...sale, amount: 1100 }, 1200, 200);
    assert.equal(responseCode(await terminal.ask(first.message.replace(/^0220/, '0221'))), '00');
    assert.deepEqual(postings(host), ['SALE 12.00 POSTED']);
  });

  it('under the number of another request are 94', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(1000);
    const offline = await till.offlineSale(500);
    for (const stan of [sale.stan, offline.stan]) assert.equal((await till.offlineSale(600, { stan })).code, '94');
    assert.equal((await till.adjust(sale, 1100, 100, { stan: sale.stan })).code, '94');
    assert.equal((await till.sale(700, { stan: offline.stan })).code, '94');
    assert.deepEqual(postings(host), ['SALE 10.00 POSTED', 'OFFLINE_SALE 5.00 POSTED']);
  });

  it('offline sale of an unknown card is 14, with a tip that is all of it 13', async (t) => {
    const { host, till } = await started(t);
    const stranger = { ...cards('visa'), pan: '4111111111111111' };
    assert.equal((await till.offlineSale(600, { card: stranger })).code, '14');
    assert.equal((await till.offlineSale(600, { tip: 600 })).code, '13');
    assert.equal((await till.offlineSale(0)).code, '13');
    assert.equal((await till.offlineSale(600, { tip: 100 })).code, '00');
    assert.deepEqual(
      host.ledger().map(({ amount, tip }) => [amount, tip]),
      [['6.00', '1.00']],
    );
    assert.deepEqual(findings(host), ['a tip that is the whole amount']);
  });

  const completions: [name: string, code: string, amount: number, other: Other][] = [
    ['up to the tolerance', '00', 3450, {}],
    ['above the tolerance', '13', 3451, {}],
    ['of nothing', '13', 0, {}],
    ['of another auth amount', '13', 3000, { before: 2999 }],
    ['of another auth', '25', 3000, { rrn: '623710000999' }],
    ['of another approval', '25', 3000, { approval: 'XXXXXX' }],
    ['with another card', '14', 3000, { card: cards('jcb') }],
    ['from another terminal', '25', 3000, { tid: '87654321' }],
    ['of what was declined', '12', 3000, { result: '51' }],
  ];
  for (const [name, code, amount, other] of completions) {
    it(`completion ${name} is ${code}`, async (t) => {
      const { host, till } = await started(t);
      const auth = await till.auth(3000);
      assert.equal((await till.complete(auth, amount, other)).code, code);
      assert.equal(host.ledger().length, code === '00' ? 2 : 1);
      assert.equal(host.ledger()[0]?.status, code === '00' ? 'COMPLETED' : 'POSTED');
    });
  }

  it('completion: once per auth, of a standing auth only, and of nothing but an auth', async (t) => {
    const { host, till } = await started(t, undefined, 0);
    const auth = await till.auth(3000);
    assert.equal((await till.complete(auth, 3001)).code, '13');
    assert.equal((await till.complete(auth, 3000)).code, '00');
    assert.equal((await till.complete(auth, 1000)).code, '12');
    const voided = await till.auth(100);
    await till.void(voided);
    assert.equal((await till.complete(voided, 100)).code, '12');
    const reversed = await till.auth(200);
    await till.reverse(reversed);
    assert.equal((await till.complete(reversed, 200)).code, '25');
    assert.equal((await till.complete(await till.sale(300), 300)).code, '25');
    assert.equal(host.ledger().filter(({ kind }) => kind === 'AUTH_COMP').length, 1);
  });

  it('a tolerance that is none is refused', () => {
    for (const completionTolerancePercent of [-1, 1.5, 101, Number.NaN]) {
      const options = { id: 'EDC', cards: [], bdk: testBdk, completionTolerancePercent };
      assert.throws(() => new Iso8583Host(options), RangeError);
    }
  });

  it('tip adjust: only of a sale that stands, by its present total, and nothing but the tip', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    assert.equal((await till.adjust(sale, 3300, 300, { before: 2999 })).code, '13');
    assert.equal((await till.adjust(sale, 3300, 200)).code, '13');
    assert.equal((await till.adjust(sale, 3300, 300, { invoice: '000999' })).code, '25');
    const adjusted = await till.adjust(sale, 3300, 300);
    assert.equal((await till.adjust(adjusted, 3000, 0)).code, '00', 'the tip can be taken off');
    assert.equal((await till.adjust(await till.offlineSale(700), 800, 100)).code, '00');
    assert.equal((await till.adjust(await till.refund(500), 600, 100)).code, '12');
    assert.equal((await till.adjust(await till.auth(500), 600, 100)).code, '12');
    const voided = await till.sale(900);
    await till.void(voided);
    assert.equal((await till.adjust(voided, 1000, 100)).code, '12');
    assert.deepEqual(postings(host).slice(0, 2), ['SALE 30.00 POSTED', 'OFFLINE_SALE 8.00 POSTED']);
    assert.equal(host.ledger().at(-1)?.amount, '9.00');
  });
});

describe('modes, for every kind', deadline, () => {
  for (const mode of ['silent', 'late'] as const) {
    it(`${mode}: auth and void are carried out, and not answered`, async (t) => {
      const { host, terminal, till } = await started(t);
      const sale = await till.sale(3000);
      await host.setMode({ mode, ...(mode === 'late' && { delayMs: 600_000 }) });
      const asked = [till.presented(900, '0100'), till.voidOf(sale)];
      for (const { message } of asked) terminal.write(frame(message));
      assert.match(await terminal.ask(echoMessage('000999')), /^60000000030810/);
      assert.equal(terminal.unread, 0);
      assert.deepEqual(postings(host), ['SALE 30.00 VOIDED', 'AUTH 9.00 POSTED']);
    });
  }

  it('garbage: auth, void and, when told to, advices are carried out and answered with no message', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(3000);
    await host.setMode({ mode: 'garbage', advices: true });
    for (const { message } of [till.presented(900, '0100'), till.voidOf(sale), till.offline(100)]) {
      const answer = await terminal.ask(message);
      assert.throws(() => decodeMessage(Buffer.from(answer.slice(10), 'hex')), MalformedMessage);
    }
    assert.deepEqual(postings(host), ['SALE 30.00 VOIDED', 'AUTH 9.00 POSTED', 'OFFLINE_SALE 1.00 POSTED']);
  });

  it('closeAfterRequest: auth and void are carried out, the connection closed', async (t) => {
    const { host, terminal, till } = await started(t);
    const sale = await till.sale(3000);
    await host.setMode({ mode: 'closeAfterRequest' });
    terminal.write(frame(till.voidOf(sale).message));
    await terminal.closed();
    const next = await Terminal.open(host.port);
    next.write(frame(till.presented(900, '0100').message));
    await next.closed();
    assert.equal(terminal.unread + next.unread, 0);
    assert.deepEqual(postings(host), ['SALE 30.00 VOIDED', 'AUTH 9.00 POSTED']);
  });

  it('duplicate answers an advice twice, and posts it once', async (t) => {
    const { host, terminal, till } = await started(t, { mode: 'duplicate' });
    const { answer } = await till.offlineSale(100);
    assert.equal(await terminal.next(), answer);
    assert.deepEqual(postings(host), ['OFFLINE_SALE 1.00 POSTED']);
  });

  it('silent leaves advices and settlement alone, unless told to', async (t) => {
    const { host, terminal, till } = await started(t, { mode: 'silent' });
    assert.equal((await till.offlineSale(100)).code, '00');
    await host.setMode({ mode: 'silent', advices: true });
    const second = till.offline(200);
    terminal.write(frame(second.message));
    assert.equal(await till.settle(1, { sales: [2, 300] }), '00', 'the advice was posted, and settlement is answered');
    await host.setMode({ mode: 'silent', settlement: true });
    assert.equal((await till.offlineSale(300)).code, '00');
    terminal.write(frame(till.settlement(2, { sales: [1, 300] })));
    assert.equal(await till.reverse(second), '25');
    assert.equal(terminal.unread, 0);
    await host.setMode({ mode: 'up' });
    assert.equal(responseCode(await terminal.ask(second.message.replace(/^0220/, '0221'))), '00');
    assert.equal(await till.settle(2, { sales: [1, 300] }, false, { repeat: true }), '00');
    assert.equal(host.settlements().length, 2);
    assert.equal(host.ledger().length, 3);
  });

  it('decline is for sale, auth and refund; declineVoids for voids', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    await host.setMode({ mode: 'up', decline: '51' });
    for (const done of [await till.sale(1), await till.auth(1), await till.refund(1)]) assert.equal(done.code, '51');
    assert.equal((await till.offlineSale(100)).code, '00');
    await host.setMode({ mode: 'up', declineVoids: '05' });
    assert.equal((await till.void(sale)).code, '05');
    assert.equal((await till.sale(100)).code, '00');
    await host.setMode({ mode: 'up', decline: '51' });
    assert.equal((await till.void(sale)).code, '00');
    assert.deepEqual(
      host.declined().map(({ kind, responseCode: code }) => `${kind} ${code}`),
      ['SALE 51', 'AUTH 51', 'REFUND 51', 'VOID 05'],
    );
    assert.deepEqual(postings(host), ['SALE 30.00 VOIDED', 'OFFLINE_SALE 1.00 POSTED', 'SALE 1.00 POSTED']);
  });

  it('refuseReversals: nothing is undone, whatever is asked, and the next one is again', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    await host.setMode({ mode: 'up', refuseReversals: '96' });
    assert.equal(await till.reverse(sale), '96');
    assert.equal(await till.reverse(sale), '96');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
    await host.setMode({ mode: 'up' });
    assert.equal(await till.reverse(sale), '00');
    assert.deepEqual(postings(host), ['SALE 30.00 REVERSED']);
  });

  it('that make no sense are refused with a sentence', async (t) => {
    const { host } = await started(t);
    for (const mode of ['up', 'down', 'duplicate'] as const) {
      await assert.rejects(host.setMode({ mode, advices: true }), /RangeError: advices and settlement go with/);
      await assert.rejects(host.setMode({ mode, settlement: true }), RangeError);
    }
    await assert.rejects(host.setMode({ mode: 'up', declineVoids: '00' }), /declineVoids is a response code/);
    for (const refuseReversals of ['00', '25', '9']) {
      await assert.rejects(host.setMode({ mode: 'up', refuseReversals }), /refuseReversals is a response code/);
    }
    assert.equal(host.state().mode, 'up');
  });
});

describe('cards', deadline, () => {
  for (const name of ['amex', 'unionpay']) {
    it(`${name}: sale, void, reversal of the void`, async (t) => {
      const { host, terminal } = await started(t);
      const till = new Till(terminal, cards(name));
      const sale = await till.sale(3000);
      const voided = await till.void(sale);
      assert.deepEqual([sale.code, voided.code, await till.reverse(voided)], ['00', '00', '00']);
      assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
      assert.ok(!JSON.stringify([host.ledger(), host.state(), host.declined()]).includes(cards(name).pan));
    });
  }
});
