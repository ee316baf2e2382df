import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../../src/payment/terminal/reports.ts';
import { reportFigures } from '../../../src/payment/records/report-figures.ts';
import type { Merchants } from '../../../src/payment/transaction/merchants.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { about, sale, Stage } from './stage.ts';

/** Both acquirers take VISA. */
const [EDC, CUP, CASH] = [acquirerId('EDC'), acquirerId('CUP'), acquirerId('CASH')];
const merchants: Merchants = {
  all: [
    { id: 'tea', name: 'Harbour Tea House' },
    { id: 'books', name: 'Harbour Books' },
  ],
  ofAcquirer: new Map([
    [EDC, 'tea'],
    [CUP, 'books'],
  ]),
};

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { cash: true, merchants });
});
afterEach(() => stage.close());

function endedOf(answer: PayAnswer): TransactionRecord {
  assert.equal(answer.kind, 'ended');
  return answer.kind === 'ended' ? answer.record : assert.fail();
}

function takerOf({ intent, request }: TransactionRecord) {
  return [request.merchantId, intent?.acquirerId];
}

async function report(merchantId?: string) {
  const { journal, acquirers } = stage;
  const reports = new Reports({ journal, acquirers: acquirers.acquirers, merchants, turns: new ReadingTurns() });
  const read = await reports.read(undefined, undefined, { merchantId });
  return typeof read === 'string' ? assert.fail(read) : read;
}

test('a sale is taken by its merchant’s acquirer, which is durable with the acceptance', async () => {
  assert.deepEqual(takerOf(endedOf(await stage.paid(sale('M-1')))), ['tea', EDC]);
  assert.deepEqual(takerOf(endedOf(await stage.paid(sale('M-2', { merchantId: 'books' })))), ['books', CUP]);
  await stage.restart();
  const found = await stage.terminal.enquire('POS-1', 'M-2');
  assert.deepEqual(found.kind === 'ended' && takerOf(found.record), ['books', CUP]);
});

test('a void and a refund are for the merchant of their original, and go to its acquirer', async () => {
  const first = endedOf(await stage.paid(sale('M-1', { merchantId: 'books' })));
  const second = endedOf(await stage.paid(sale('M-2', { merchantId: 'books' })));
  const voided = endedOf(await stage.terminal.pay(about('VOID', 'V-1', first)));
  assert.deepEqual(takerOf(voided), ['books', CUP]);
  const refund = endedOf(await stage.paid(about('REFUND', 'R-1', second, { merchantId: 'books' })));
  assert.deepEqual(takerOf(refund), ['books', CUP]);
  assert.equal(stage.edc.posted, 0);
});

test('naming another merchant than that of the original is refused, and nothing is written', async () => {
  const first = endedOf(await stage.paid(sale('M-1', { merchantId: 'books' })));
  const answer = await stage.terminal.pay(about('VOID', 'V-1', first, { merchantId: 'tea' }));
  assert.deepEqual(answer.kind === 'refused' && [answer.refusal.pointer, answer.refusal.reason], [
    '/merchantId',
    'decidedByOriginal',
  ]);
  assert.equal((await stage.terminal.enquire('POS-1', 'V-1')).kind, 'notFound');
});

test('the original of a time without merchants has none, and its void has none', async () => {
  const plain = new Stage(undefined, {});
  try {
    const first = endedOf(await plain.paid(sale('M-1')));
    assert.equal('merchantId' in first.request, false);
    const voided = endedOf(await plain.terminal.pay(about('VOID', 'V-1', first)));
    assert.equal('merchantId' in voided.request, false);
  } finally {
    plain.close();
  }
});

test('a merchant’s settlement leaves the batches of others open, also after a restart', async () => {
  for (const merchantId of ['tea', 'books']) await stage.paid(sale(`M-${merchantId}`, { merchantId }));
  const request = { posId: 'POS-1', messageId: 'S-1', digest: 'S-1', merchantId: 'books' };
  const open = stage.journal.store.openBatch(EDC);
  const answer = await stage.terminal.settle(request);
  const results = (answer.kind === 'ended' && answer.settlement.results) || assert.fail(answer.kind);
  assert.deepEqual(
    results.map((each) => [each.acquirerId, each.merchantId, each.result]),
    [[CUP, 'books', 'BALANCED']],
  );
  assert.equal(stage.journal.store.openBatch(EDC), open);
  await stage.restart();
  const known = await stage.terminal.enquireSettlement('POS-1', 'S-1');
  assert.deepEqual(typeof known === 'object' && known.merchantId, 'books');
});

test('an interrupted settlement continues with its merchant alone', async () => {
  for (const merchantId of ['tea', 'books']) await stage.paid(sale(`M-${merchantId}`, { merchantId }));
  const at = stage.clock.now().toISOString();
  const id = endedOf(await stage.paid(sale('M-3'))).id;
  const asked = { id, posId: 'POS-1', messageId: 'S-1', digest: 'S-1', merchantId: 'books', at };
  await stage.journal.openSettlement(asked);
  const [edc, cup] = [stage.journal.store.openBatch(EDC), stage.journal.store.openBatch(CUP)];
  const answer = await stage.terminal.settle((await stage.journal.unfinishedSettlements())[0] ?? assert.fail());
  assert.equal(answer.kind, 'ended');
  assert.deepEqual([stage.journal.store.openBatch(EDC), stage.journal.store.openBatch(CUP)], [edc, cup + 1]);
});

test('a merchant’s report has its sales, and of what all share its own part', async () => {
  await stage.paid(sale('M-1', { merchantId: 'tea' }));
  await stage.paid(sale('M-2', { merchantId: 'books' }));
  const paying = stage.terminal.pay(sale('M-3', { merchantId: 'books', preferredInstrument: 'CASH' }));
  await stage.trace.seen('screen: tenderCash');
  stage.act({ kind: 'tender', amount: '50' });
  endedOf(await paying);

  const books = await report('books');
  assert.deepEqual(
    books.map((each) => [each.acquirerId, each.merchantId, each.items.length]),
    [
      [CUP, 'books', 1],
      [CASH, undefined, 1],
    ],
  );
  const tea = await report('tea');
  assert.deepEqual(
    tea.map((each) => [each.acquirerId, each.items.length]),
    [
      [EDC, 1],
      [CASH, 0],
    ],
  );
  assert.deepEqual(
    reportFigures(await report()).merchants.map(({ name, sales }) => [name, sales.count, sales.minor]),
    [
      ['books', 2, 6000n],
      ['tea', 1, 3000n],
    ],
  );
});

test('the screen names the merchant while it collects and with the outcome', async () => {
  await stage.paid(sale('M-1', { merchantId: 'books' }));
  const shown = stage.views.filter(({ scene }) => scene !== 'idle');
  assert.ok(shown.length > 2);
  assert.deepEqual([...new Set(shown.map(({ merchant }) => merchant))], ['Harbour Books']);
});
