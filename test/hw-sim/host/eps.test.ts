import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Card, loadCards } from '../../../hw-sim/card/card.ts';
import { type HostMode, Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { EpsTill, pinKsnObject } from './eps-till.ts';
import { lll, readerObjects, saleMessage, Terminal, testBdk, testCards, responseCode } from './terminal.ts';
import { findings, postings } from './started.ts';

const all = await loadCards(path.join(import.meta.dirname, '../../../fixtures/cards'));
const visa = (await testCards())('visa');

function stripeCard(): Card {
  const card = all.get('eps');
  assert.ok(card?.testPin !== undefined);
  return card;
}
const eps = stripeCard();
/** Another number, the same issuer. */
const other: Card = { ...eps, name: 'other', pan: '6759649826438461', testPin: '246810' };
const deadline = { timeout: 20_000 };
const now = () => new Date('2026-08-25T02:15:30.000Z');

async function opened(t: TestContext, mode?: HostMode): Promise<{ host: Iso8583Host; till: EpsTill; at: Terminal }> {
  const host = new Iso8583Host({ id: 'EPS', profile: 'eps', cards: [eps, other], bdk: testBdk, now });
  t.after(() => host.close());
  await host.listen();
  if (mode) await host.setMode(mode);
  const at = await Terminal.open(host.port);
  t.after(() => at.end());
  return { host, till: new EpsTill(at, eps), at };
}

const codes = async (...asked: (() => Promise<{ code: string }>)[]): Promise<string[]> => {
  const reported: string[] = [];
  for (const ask of asked) reported.push((await ask()).code);
  return reported;
};

describe('an EPS sale', deadline, () => {
  it('is posted once with its account, and answered without field 55', async (t) => {
    const { host, till } = await opened(t);
    const { answer, approval } = await till.pay({ account: '10' });
    assert.equal(answer.slice(10, 30), '0210303801000E800000');
    assert.equal(answer.length, 30 + 2 * (3 + 6 + 3 + 3 + 2 + 2 + 12 + 6 + 2 + 8));
    const [entry, ...more] = host.ledger();
    assert.deepEqual(more, []);
    const { kind, status, amountMinor, tip, account, cashbackMinor, approvalCode, maskedPan } = entry ?? {};
    assert.deepEqual(
      { kind, status, amountMinor, tip, account, cashbackMinor, approvalCode, maskedPan },
      {
        kind: 'SALE',
        status: 'POSTED',
        amountMinor: '3000',
        tip: '0.00',
        account: 'SAVINGS',
        cashbackMinor: '0',
        approvalCode: approval,
        maskedPan: '************8453',
      },
    );
    assert.deepEqual(host.unexpected, []);
    assert.ok(!JSON.stringify([host.state(), host.ledger(), host.declined()]).includes(eps.testPin ?? ''));
  });

  it('with cash back has the cash within its amount, from the account of the processing code', async (t) => {
    const { host, till } = await opened(t);
    assert.equal((await till.pay({ amount: 13_000, cash: 10_000, account: '20' })).code, '00');
    const [entry] = host.ledger();
    assert.deepEqual([entry?.amountMinor, entry?.cashbackMinor, entry?.account], ['13000', '10000', 'CURRENT']);
    assert.deepEqual(host.unexpected, []);
  });

  it('that comes again is 94, and costs no try', async (t) => {
    const { host, till } = await opened(t);
    await till.pay({ stan: '000500' });
    assert.equal((await till.pay({ stan: '000500', pin: '0000' })).code, '94');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
    assert.deepEqual(await codes(...[0, 1].map(() => () => till.pay({ pin: '0000' }))), ['55', '55']);
  });

  const refusals: [name: string, code: string, finding: string, drawn: Parameters<EpsTill['pay']>[0]][] = [
    ['no PIN', '70', 'a sale without field 52', { pin: null }],
    [
      'a PIN block whose key is not told',
      '30',
      'field 52 without DFEE51 in field 48',
      {
        change: (fields) => fields.set(48, lll((fields.get(48) ?? '').slice(4, -pinKsnObject(1).length))),
      },
    ],
    [
      'a key without a PIN block',
      '30',
      'DFEE51 in field 48 without field 52',
      { change: (fields) => fields.delete(52) },
    ],
    ['no account', '12', 'a processing code that is nothing in a 0200', { processing: '000000' }],
    ['an account that is none', '12', 'a processing code that is nothing in a 0200', { account: '30' }],
    [
      'cash that the processing code does not tell',
      '30',
      'field 54 does not go with the processing code',
      {
        cash: 1000,
        processing: '001000',
      },
    ],
    ['cash told and not named', '30', 'field 54 does not go with the processing code', { processing: '091000' }],
    ['nothing but cash', '13', 'a cash that is the whole amount', { amount: 3000, cash: 3000 }],
    [
      'field 55',
      '30',
      'a sale from a stripe with field 55',
      { change: (fields) => fields.set(55, lll('9F2701'.concat('80'))) },
    ],
    ['no currency', '30', 'a sale from a stripe without field 49', { change: (fields) => fields.delete(49) }],
    ['an entry mode that is none', '30', 'a sale from nothing that field 22 can name', { entry: '011' }],
    [
      'noise for a PIN block',
      '63',
      'no PIN block under its key',
      { change: (fields) => fields.set(52, '0011223344556677') },
    ],
    [
      "another transaction's key for its PIN block",
      '63',
      'no PIN block under its key',
      { change: (fields) => fields.set(48, (fields.get(48) ?? '').replace(pinKsnObject(1), pinKsnObject(2))) },
    ],
  ];
  for (const [name, code, finding, drawn] of refusals) {
    it(`with ${name} is ${code}, noted, and posts nothing`, async (t) => {
      const { host, till } = await opened(t);
      assert.equal((await till.pay(drawn)).code, code);
      assert.deepEqual(host.ledger(), []);
      assert.deepEqual(findings(host), [finding]);
      assert.deepEqual(
        host.declined().map(({ responseCode }) => responseCode),
        [code],
      );
    });
  }

  it('of another expiry or an unknown card is refused before its PIN is looked at', async (t) => {
    const { at } = await opened(t);
    assert.equal((await new EpsTill(at, { ...eps, expiry: '3011' }).pay()).code, '54');
    assert.equal((await new EpsTill(at, { ...eps, pan: '6759649826438479' }).pay({ stan: '000900' })).code, '14');
  });

  it('is all that there is: auth, refund, void, advices and tips are 12', async (t) => {
    const { host, at } = await opened(t);
    const asked = [
      saleMessage({ card: visa, type: '0100', processing: '001000' }),
      saleMessage({ card: visa, processing: '200000' }),
      saleMessage({ card: visa, processing: '020000' }),
      saleMessage({ card: visa, type: '0220', processing: '001000' }),
      saleMessage({ card: visa, processing: '001000', field49: '344', tip: '000000000100' }),
    ];
    const reported: string[] = [];
    for (const message of asked) reported.push(responseCode(await at.ask(message)));
    assert.deepEqual(reported, ['12', '12', '12', '12', '30']);
    assert.deepEqual(host.ledger(), []);
    assert.equal(host.unexpected.length, 5);
  });
});

describe('a PIN', deadline, () => {
  it('wrong is 55, 55 and then 75; from then on 75 whatever comes, until the reset', async (t) => {
    const { host, till } = await opened(t);
    const wrong = () => till.pay({ pin: '1358' });
    const right = () => till.pay();
    assert.deepEqual(await codes(wrong, wrong, wrong, right, wrong), ['55', '55', '75', '75', '75']);
    assert.deepEqual(host.ledger(), []);
    assert.deepEqual(host.unexpected, []);
    await host.reset();
    assert.deepEqual(await codes(wrong, right), ['55', '00']);
  });

  it('right starts the count again', async (t) => {
    const { till } = await opened(t);
    const wrong = () => till.pay({ pin: '135' + '71' });
    const right = () => till.pay();
    assert.deepEqual(await codes(wrong, wrong, right, wrong, wrong, right), ['55', '55', '00', '55', '55', '00']);
  });

  it('is counted card by card', async (t) => {
    const { till, at } = await opened(t);
    const wrong = () => till.pay({ pin: '0000' });
    assert.deepEqual(await codes(wrong, wrong, wrong), ['55', '55', '75']);
    const neighbour = new EpsTill(at, other);
    const paid = await neighbour.pay({ stan: '000800', transaction: 50, pinTransaction: 50 });
    assert.equal(paid.code, '00');
  });

  it('of noise costs no try', async (t) => {
    const { till } = await opened(t);
    const noise = () => till.pay({ change: (fields) => fields.set(52, '0011223344556677') });
    const wrong = () => till.pay({ pin: '0000' });
    assert.deepEqual(await codes(noise, noise, noise, wrong, wrong, () => till.pay()), [
      '63',
      '63',
      '63',
      '55',
      '55',
      '00',
    ]);
  });

  it('that was wrong may be asked for again with the same track, but with a key of its own', async (t) => {
    const { host, till } = await opened(t);
    await till.pay({ pin: '0000', transaction: 7, pinTransaction: 7 });
    assert.equal((await till.pay({ transaction: 7, pinTransaction: 8 })).code, '00');
    assert.deepEqual(host.unexpected, []);
    await till.pay({ transaction: 7, pinTransaction: 8 });
    assert.deepEqual(findings(host), [
      'a key serial number that was used before',
      'a PIN key serial number that was used before',
    ]);
  });

  it('has a key of the pad, which may have the number of a track', async (t) => {
    const { host, till } = await opened(t);
    await till.pay({ transaction: 7, pinTransaction: 8 });
    await till.pay({ transaction: 8, pinTransaction: 7 });
    assert.deepEqual(host.unexpected, []);
  });

  it('that a mode calls wrong may be asked for again, too', async (t) => {
    const { host, till } = await opened(t, { mode: 'up', decline: '55' });
    assert.equal((await till.pay({ transaction: 7 })).code, '55');
    await host.setMode({ mode: 'up' });
    assert.equal((await till.pay({ transaction: 7 })).code, '00');
    assert.deepEqual(host.unexpected, []);
  });

  it('that is right is declined like any sale, and one that is wrong is 55 all the same', async (t) => {
    const { host, till } = await opened(t, { mode: 'up', decline: '51' });
    assert.deepEqual(
      await codes(
        () => till.pay(),
        () => till.pay({ pin: '0000' }),
      ),
      ['51', '55'],
    );
    assert.deepEqual(host.ledger(), []);
  });
});

describe('an EPS reversal', deadline, () => {
  it('takes the sale back, with cash, once', async (t) => {
    const { host, till } = await opened(t);
    const paid = await till.pay({ amount: 13_000, cash: 10_000 });
    assert.deepEqual([await till.reverse(paid), await till.reverse(paid)], ['00', '00']);
    assert.deepEqual(postings(host), ['SALE 130.00 REVERSED']);
    assert.equal(host.ledger()[0]?.reversals, 2);
    assert.deepEqual(host.unexpected, []);
  });

  it('of a sale whose PIN was wrong is 25', async (t) => {
    const { till } = await opened(t);
    assert.equal(await till.reverse(await till.pay({ pin: '0000' })), '25');
  });

  it('with the other account is 25 and noted', async (t) => {
    const { host, till } = await opened(t);
    const paid = await till.pay({ account: '10' });
    assert.equal(await till.reverse({ ...paid, processing: '002000' }), '25');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
  });

  it('with a PIN block or the key of one is noted', async (t) => {
    const { host, till } = await opened(t);
    const paid = await till.pay();
    const number = readerObjects('5A', eps.pan, 1);
    assert.equal(await till.reverse(paid, (fields) => fields.set(48, lll(number + pinKsnObject(1)))), '30');
    assert.equal(await till.reverse(paid, (fields) => fields.set(52, '1B9C1845EB993A7A')), '00');
    assert.deepEqual(findings(host), ['field 48: the key of a PIN behind a card number', 'a reversal with field 52']);
  });
});

describe('an EPS batch', deadline, () => {
  it('balances over the totals with the cash', async (t) => {
    const { host, till } = await opened(t);
    await till.pay({ amount: 3000 });
    await till.pay({ amount: 13_000, cash: 10_000 });
    await till.reverse(await till.pay({ amount: 500 }));
    assert.equal(await till.settle(1, { sales: [2, 6000] }), '95');
    assert.equal(await till.settle(1, { sales: [2, 16_000] }), '00');
    assert.deepEqual(
      host.ledger().map(({ batch }) => batch),
      [1, 1, null],
    );
    assert.deepEqual(host.unexpected, []);
  });

  it('is uploaded with the processing codes of its sales', async (t) => {
    const { host, till } = await opened(t);
    const one = await till.pay({ amount: 3000, account: '20' });
    const two = await till.pay({ amount: 13_000, cash: 10_000 });
    await host.setMode({ mode: 'up', mismatch: true });
    assert.equal(await till.settle(1, { sales: [2, 16_000] }), '95');
    assert.deepEqual([await till.upload(one, true), await till.upload(two, false)], ['00', '00']);
    assert.equal(await till.settle(1, { sales: [2, 16_000] }, true), '00');
    const [settlement] = host.settlements();
    assert.deepEqual([settlement?.result, settlement?.uploaded, settlement?.differences], ['UPLOADED', 2, []]);
    assert.deepEqual(host.unexpected, []);
  });

  it('tells an upload from another account apart, and posts what it never saw', async (t) => {
    const { host, till } = await opened(t);
    const paid = await till.pay({ account: '10' });
    const unseen = { ...paid, stan: '000777', amount: 700, processing: '002000', rrn: '623710999999' };
    await till.settle(1, { sales: [2, 3700] });
    assert.deepEqual([await till.upload(paid, true, '002000'), await till.upload(unseen, false)], ['00', '00']);
    assert.equal(await till.settle(1, { sales: [2, 3700] }, true), '00');
    assert.deepEqual(host.settlements()[0]?.differences, [
      { stan: paid.stan, field: 'account', terminal: 'CURRENT', host: 'SAVINGS' },
      { stan: '000777', field: 'posting', terminal: '700', host: null },
    ]);
    assert.deepEqual(
      host.ledger().map(({ account, fromUpload }) => `${account} ${fromUpload}`),
      ['SAVINGS undefined', 'CURRENT true'],
    );
  });
});
