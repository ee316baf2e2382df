import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cards, findings, postings, started, type Started } from './started.ts';
import { ascii, lll, mid, responseCode, tid } from './terminal.ts';
import { type Done, type Other, type Till } from './till.ts';

const deadline = { timeout: 60_000 };
const spaced = (...parts: string[]) => parts.join('').replaceAll(' ', '');
const at = '2026-08-25T02:15:30.000Z';

/** Ledger: what is settled under which batch. */
const batches = ({ host }: Started) => host.ledger().map(({ batch, settled }) => (settled ? batch : 'open'));

describe('settlement', deadline, () => {
  it('balanced: 0510 to the byte, and everything that counts is settled', async (t) => {
    const stage = await started(t);
    const { host, terminal, till } = stage;
    await till.adjust(await till.sale(3000), 3300, 300);
    await till.offlineSale(700);
    const auth = await till.auth(1000);
    await till.complete(auth, 1100);
    await till.auth(5000);
    await till.refund(500);
    await till.void(await till.sale(10_000));
    const reversed = await till.sale(20_000);
    await till.reverse(reversed);
    const stan = '000777';
    const message = spaced(
      `0500 2020010000C08012 920000 ${stan} 0003`,
      ascii(tid),
      ascii(mid),
      ascii('344'),
      lll(ascii('000012')),
      lll(ascii(`003000000005100001000000000500${'0'.repeat(60)}`)),
    );
    assert.equal(till.settlement(12, { sales: [3, 5100], refunds: [1, 500] }, false, { stan }), message);
    assert.equal(
      await terminal.ask(message),
      spaced(`6000000003 0510 2038010002800000 920000 ${stan} 101530 0825 0003`, ascii('00'), ascii(tid)),
    );
    assert.deepEqual(batches(stage), [12, 12, 'open', 12, 'open', 12, 'open', 'open']);
    assert.deepEqual(postings(host)[0], 'SALE 33.00 POSTED');
    const sums = { sales: { count: 3, amount: '51.00' }, refunds: { count: 1, amount: '5.00' } };
    assert.deepEqual(host.settlements(), [
      {
        batch: 12,
        currency: 'HKD',
        result: 'BALANCED',
        terminal: sums,
        host: sums,
        uploaded: 0,
        differences: [],
        at,
      },
    ]);
    assert.equal(host.state().settlementRequests, 1);
    assert.deepEqual(findings(host), []);
  });

  it('repeated is 00 again and changes nothing, whatever was posted since', async (t) => {
    const stage = await started(t);
    const { host, till } = stage;
    await till.sale(3000);
    assert.equal(await till.settle(1, { sales: [1, 3000] }), '00');
    await till.sale(3000);
    const before = host.settlements();
    assert.equal(await till.settle(1, { sales: [1, 3000] }, false, { repeat: true }), '00');
    assert.deepEqual(batches(stage), [1, 'open']);
    assert.deepEqual(host.settlements(), before);
    assert.equal(await till.settle(2, { sales: [1, 3000] }), '00');
    assert.deepEqual(batches(stage), [1, 2]);
  });

  it('of nothing is balanced', async (t) => {
    const { host, till } = await started(t);
    assert.equal(await till.settle(1), '00');
    assert.equal(host.settlements()[0]?.result, 'BALANCED');
  });

  const wrong: [name: string, sums: Parameters<Till['settle']>[1]][] = [
    ['a cent more', { sales: [1, 3001], refunds: [1, 500] }],
    ['a sale more', { sales: [2, 3000], refunds: [1, 500] }],
    ['a cent of refund less', { sales: [1, 3000], refunds: [1, 499] }],
    ['a refund more', { sales: [1, 3000], refunds: [2, 500] }],
  ];
  for (const [name, sums] of wrong) {
    it(`with ${name} is 95 and settles nothing`, async (t) => {
      const stage = await started(t);
      const { host, till } = stage;
      await till.sale(3000);
      await till.refund(500);
      assert.equal(await till.settle(1, sums), '95');
      assert.deepEqual(batches(stage), ['open', 'open']);
      assert.equal(host.settlements()[0]?.result, 'MISMATCH');
      assert.deepEqual(host.settlements()[0]?.host.sales, { count: 1, amount: '30.00' });
      assert.equal(await till.settle(1, { sales: [1, 3000], refunds: [1, 500] }), '00', 'asked anew, and right');
      assert.deepEqual(
        host.settlements().map(({ batch, result }) => [batch, result]),
        [[1, 'BALANCED']],
      );
    });
  }

  it('is one per currency', async (t) => {
    const stage = await started(t);
    const { host, till } = stage;
    await till.sale(3000);
    assert.equal(await till.settle(1, {}, false, { currency: '840' }), '00');
    assert.deepEqual(batches(stage), ['open']);
    assert.equal(await till.settle(1, { sales: [1, 3000] }, false, { currency: '999' }), '12');
    assert.equal(await till.settle(1, { sales: [1, 3000] }), '00');
    assert.deepEqual(
      host.settlements().map(({ currency }) => currency),
      ['USD', 'HKD'],
    );
  });

  it('with totals of another form, or of kinds that are not here, is 30 and noted', async (t) => {
    const { host, terminal, till } = await started(t);
    const message = till.settlement(1);
    const debit = `${message.slice(0, -2)}31`;
    assert.equal(responseCode(await terminal.ask(debit)), '30');
    const short = message.replace(lll(ascii('0'.repeat(90))), lll(ascii('0'.repeat(89))));
    assert.equal(responseCode(await terminal.ask(short)), '30');
    assert.deepEqual(findings(host), ['field 63 has another form', 'field 63 has another form']);
    assert.deepEqual(host.settlements(), []);
  });

  it('forbids void and tip adjust, and frees the trace numbers', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    await till.settle(1, { sales: [1, 3000] });
    assert.equal((await till.void(sale)).code, '12');
    assert.equal((await till.adjust(sale, 3300, 300)).code, '12');
    assert.equal((await till.sale(100, { stan: sale.stan })).code, '00');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED', 'SALE 1.00 POSTED']);
  });

  it('leaves an auth open, and its completion is of the next batch', async (t) => {
    const stage = await started(t);
    const { till } = stage;
    const auth = await till.auth(3000);
    assert.equal(await till.settle(1), '00');
    assert.equal((await till.complete(auth, 3000)).code, '00');
    assert.equal(await till.settle(2, { sales: [1, 3000] }), '00');
    assert.deepEqual(batches(stage), ['open', 2]);
  });

  it('counts a void no more, and again once the void is taken back', async (t) => {
    const stage = await started(t);
    const { till } = stage;
    const voided = await till.void(await till.sale(3000));
    assert.equal(await till.settle(1), '00');
    assert.equal(await till.reverse(voided), '00');
    assert.equal(await till.settle(2, { sales: [1, 3000] }), '00');
    assert.deepEqual(batches(stage), [2]);
  });
});

describe('upload', deadline, () => {
  /** A sale, an offline sale, a completion and a refund, and a batch that was answered 95. */
  async function mismatched(t: Parameters<typeof started>[0]): Promise<Started & { originals: Done[] }> {
    const stage = await started(t);
    const { host, till } = stage;
    const sale = await till.sale(3000);
    const offline = await till.offlineSale(700);
    const completion = await till.complete(await till.auth(1000), 1000);
    const refund = await till.refund(500);
    await host.setMode({ mode: 'up', mismatch: true });
    assert.equal(host.state().mismatch, true);
    assert.equal(await till.settle(7, sums), '95');
    assert.equal(host.state().mismatch, false);
    return { ...stage, originals: [sale, offline, completion, refund] };
  }
  const sums = { sales: [3, 4700], refunds: [1, 500] } as const;

  it('mismatch, every transaction, trailer: settled; 0330 to the byte', async (t) => {
    const stage = await mismatched(t);
    const { host, terminal, till, originals } = stage;
    const [sale] = originals;
    assert.ok(sale);
    const first = till.upload(sale, { stan: '000555' });
    assert.match(first, /^0320303805800CC18014000001000000003000000555101530082500710003003/);
    assert.ok(first.endsWith(lll(ascii('0200000001')) + lll(ascii('000001'))));
    assert.equal(
      await terminal.ask(first),
      spaced('6000000003 0330 3020010002800000 000001 000000003000 000555 0003', ascii('00'), ascii(tid)),
    );
    assert.equal(responseCode(await terminal.ask(first.replace(/^0320/, '0321'))), '00', 'a repeat counts once');
    for (const [index, original] of originals.slice(1).entries()) {
      assert.equal(await till.uploaded(original, { more: index < 2 }), '00');
    }
    assert.equal(await till.settle(7, sums, true), '00');
    assert.equal(await till.settle(7, sums, true), '00', 'a trailer once more');
    assert.deepEqual(batches(stage), [7, 7, 'open', 7, 7]);
    const shown = { sales: { count: 3, amount: '47.00' }, refunds: { count: 1, amount: '5.00' } };
    assert.deepEqual(host.settlements(), [
      {
        batch: 7,
        currency: 'HKD',
        result: 'UPLOADED',
        terminal: shown,
        host: shown,
        uploaded: 4,
        differences: [],
        at,
      },
    ]);
    assert.equal(host.state().uploadRequests, 5);
    assert.deepEqual(findings(host), []);
    assert.equal(await till.settle(8), '00');
  });

  it('trailer with other totals than the upload is 95 and settles nothing; then it can be made good', async (t) => {
    const stage = await mismatched(t);
    const { host, till, originals } = stage;
    for (const original of originals.slice(0, 3)) await till.uploaded(original);
    assert.equal(await till.settle(7, sums, true), '95');
    assert.deepEqual(batches(stage), ['open', 'open', 'open', 'open', 'open']);
    assert.equal(host.settlements()[0]?.result, 'MISMATCH');
    assert.deepEqual(findings(host), ['a trailer where more was announced']);
    for (const original of originals.slice(3)) await till.uploaded(original, { more: false });
    assert.equal(await till.settle(7, sums, true), '00');
    assert.equal(host.settlements()[0]?.result, 'UPLOADED');
  });

  it('the same 0500 once more is 95 again, a new one begins anew', async (t) => {
    const stage = await mismatched(t);
    const { host, till, originals } = stage;
    await till.uploaded(originals[0] as Done);
    await host.setMode({ mode: 'up', mismatch: true });
    assert.equal(await till.settle(7, sums, false, { stan: '000800' }), '95');
    assert.equal(host.settlements()[0]?.uploaded, 0);
    assert.equal(await till.settle(7, sums, false, { stan: '000800', repeat: true }), '95');
    assert.equal(await till.settle(7, sums), '00');
    assert.deepEqual(
      host.settlements().map(({ result }) => result),
      ['BALANCED'],
    );
  });

  const differing: [field: string, terminal: string, host: string, other: Other][] = [
    ['amount', '2900', '3000', { amount: 2900 }],
    ['card', '0000', '0119', { card: cards('jcb') }],
    ['rrn', '623710000999', '623710000001', { rrn: '623710000999' }],
    ['invoice', '000999', '000001', { invoice: '000999' }],
    ['kind', 'OFFLINE_SALE or AUTH_COMP', 'SALE', { original: '0220000001' }],
  ];
  for (const [field, claimed, booked, other] of differing) {
    it(`another ${field} than in the books is a difference`, async (t) => {
      const { host, till, originals } = await mismatched(t);
      assert.equal(await till.uploaded(originals[0] as Done, other), '00');
      assert.deepEqual(host.settlements()[0]?.differences, [
        { stan: '000001', field, terminal: claimed, host: booked },
      ]);
    });
  }

  it('another approval code is a difference', async (t) => {
    const { host, till, originals } = await mismatched(t);
    await till.uploaded(originals[0] as Done, { approval: 'XXXXXX' });
    const [difference] = host.settlements()[0]?.differences ?? [];
    assert.deepEqual([difference?.field, difference?.terminal], ['approvalCode', 'XXXXXX']);
  });

  it('what the books don’t have is posted from it, once, and marked; what it lacks stays open', async (t) => {
    const stage = await mismatched(t);
    const { host, till, originals } = stage;
    const [sale, offline, completion, refund] = originals as [Done, Done, Done, Done];
    const unknown: Done = { ...sale, stan: '000900', invoice: '000900', rrn: '623710000900', amount: 800 };
    for (const one of [offline, completion, refund, unknown]) await till.uploaded(one);
    await till.uploaded(unknown, { more: false });
    assert.equal(await till.settle(7, { sales: [3, 2500], refunds: [1, 500] }, true), '00');
    assert.deepEqual(postings(host).at(-1), 'SALE 8.00 POSTED');
    assert.deepEqual(
      host.ledger().map(({ fromUpload }) => fromUpload === true),
      [false, false, false, false, false, true],
    );
    assert.deepEqual(batches(stage), ['open', 7, 'open', 7, 7, 7]);
    assert.deepEqual(host.settlements()[0]?.differences, [
      { stan: '000900', field: 'posting', terminal: '800', host: null },
      { stan: '000001', field: 'posting', terminal: null, host: '3000' },
    ]);
    assert.equal(await till.settle(8, { sales: [1, 3000] }), '00');
  });

  it('of what was voided is a difference, and stays voided', async (t) => {
    const { host, till, originals } = await mismatched(t);
    const [sale] = originals as [Done];
    await till.void(sale);
    await till.uploaded(sale, { more: false });
    assert.deepEqual(host.settlements()[0]?.differences, [
      { stan: '000001', field: 'status', terminal: 'POSTED', host: 'VOIDED' },
    ]);
    assert.equal(await till.settle(7, { sales: [1, 3000] }, true), '00');
    assert.equal(host.ledger()[0]?.settled, false);
  });

  it('and trailer without a batch that waits for them are 12 and noted', async (t) => {
    const { host, till } = await started(t);
    const sale = await till.sale(3000);
    assert.equal(await till.uploaded(sale), '12');
    assert.equal(await till.settle(1, { sales: [1, 3000] }, true), '12');
    assert.equal(await till.settle(1, { sales: [1, 3000] }), '00');
    assert.equal(await till.uploaded(sale), '12');
    assert.deepEqual(findings(host), [
      'an upload without a batch that waits for it',
      'a trailer of a batch that waits for no upload',
      'an upload without a batch that waits for it',
    ]);
    assert.deepEqual(host.settlements().length, 1);
  });

  it('is silent when the mode says so, and carried out', async (t) => {
    const { host, terminal, till, originals } = await mismatched(t);
    const [sale] = originals as [Done];
    await host.setMode({ mode: 'closeAfterRequest', settlement: true });
    const uploaded = till.uploaded(sale);
    await assert.rejects(uploaded, /closed/);
    await terminal.closed();
    assert.equal(host.settlements()[0]?.uploaded, 1);
  });
});
