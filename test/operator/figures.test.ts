import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { type Figures, readClosedBatches, readFigures } from '../../src/operator/figures.ts';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../src/payment/terminal/reports.ts';
import { isSilent } from '../payment/terminal/scripted-host.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';

let stage: Stage;
let number = 0;
beforeEach(() => {
  stage = new Stage(undefined, { cash: true });
});
afterEach(() => stage.close());

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } }) as const;
const name = () => `M-${(number += 1)}`;

async function figures(acquirer?: string, batch?: number): Promise<Figures> {
  const { journal, acquirers } = stage;
  const reports = new Reports({ journal, acquirers: acquirers.acquirers, turns: new ReadingTurns() });
  const read = await readFigures({ acquirer, batch }, reports);
  return typeof read === 'string' ? assert.fail(read) : read;
}

async function card(minor: bigint, scheme: 'visa' | 'unionpay' = 'visa', fields = {}): Promise<TransactionRecord> {
  return ended(await stage.paid(sale(name(), { ...hkd(minor), ...fields }), scheme));
}

async function cash(minor: bigint, tendered: string): Promise<void> {
  const answer = stage.terminal.pay(sale(name(), { ...hkd(minor), preferredEntryMode: 'CASH' }));
  await stage.trace.seen('screen: tenderCash', stage.trace.count('screen: tenderCash') + 1);
  stage.act({ kind: 'tender', amount: tendered });
  ended(await answer);
}

/**
 * The day, counted by hand: VISA 30.00 and 12.50, of which 12.50 is voided; VISA 40.00 with a tip of 5.00 later;
 * UnionPay 100.00, of which 20.00 is refunded; a UnionPay hold of 70.00; cash 18.00 for which 20.00 is given; a sale of
 * 9.90 that came to nothing.
 */
async function day(): Promise<void> {
  await card(3000n);
  const voided = await card(1250n);
  ended(await stage.terminal.pay(about('VOID', name(), voided)));
  const tipped = await card(4000n);
  ended(await stage.terminal.pay(about('TIP_ADJUST', name(), tipped, hkd(4500n))));
  const refunded = await card(10_000n, 'unionpay');
  ended(await stage.paid(about('REFUND', name(), refunded, hkd(2000n)), 'unionpay'));
  await card(7000n, 'unionpay', { type: 'AUTH' });
  await cash(1800n, '20');
}

const money = (amount: string) => ({ amount, currency: 'HKD' });
const none = { count: 0, ...money('0.00') };

test('X has the day by method and brand, with tips, voids, holds, and the cash that the drawer must have', async () => {
  await day();
  const { kind, sums, methods, brands, cash: drawer, cashback, batches } = await figures();
  assert.equal(kind, 'X');
  // 30.00 + 45.00 + 100.00 + 18.00; less 20.00.
  const [all, ...others] = sums;
  assert.deepEqual(others, []);
  assert.deepEqual(all, {
    name: '',
    sales: { count: 4, ...money('193.00') },
    refunds: { count: 1, ...money('20.00') },
    tip: money('5.00'),
  });
  assert.deepEqual(methods, [
    {
      name: 'card',
      sales: { count: 3, ...money('175.00') },
      refunds: { count: 1, ...money('20.00') },
      tip: money('5.00'),
    },
    { name: 'cash', sales: { count: 1, ...money('18.00') }, refunds: none },
  ]);
  assert.deepEqual(brands, [
    { name: 'CASH', sales: { count: 1, ...money('18.00') }, refunds: none },
    { name: 'UNIONPAY', sales: { count: 1, ...money('100.00') }, refunds: { count: 1, ...money('20.00') } },
    { name: 'VISA', sales: { count: 2, ...money('75.00') }, refunds: none, tip: money('5.00') },
  ]);
  assert.deepEqual([drawer, cashback], [[money('18.00')], []]);
  const [edc, cup] = batches;
  assert.deepEqual(edc?.voids, [{ kind: 'VOID_SALE', count: 1, ...money('12.50') }]);
  assert.deepEqual(cup?.openAuths, [{ kind: 'AUTH', count: 1, ...money('70.00') }]);
  assert.deepEqual(
    batches.map(({ unresolved }) => unresolved),
    [[], [], []],
  );
});

test('what was reversed is in no figure; the shop’s own sums do not change', async () => {
  await day();
  const before = await figures();
  stage.edc.onRequest = () => isSilent;
  await card(990n);
  assert.deepEqual((await figures()).sums, before.sums);
});

test('Z is what was settled, whatever came after; the closed batches are listed, the latest first', async () => {
  await day();
  const open = await figures('EDC');
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S' });
  await card(500n);
  await stage.clock.advance(60_000);
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-2', digest: 'S' });
  const closed = await readClosedBatches(stage.journal);
  assert.deepEqual(
    closed.map(({ acquirer, totals }) => [acquirer, ...totals.map(({ kind, amount }) => `${kind} ${amount}`)]),
    [
      ['EDC', 'SALE 5.00'],
      ['EDC', 'SALE 75.00'],
      ['CUP', 'SALE 100.00', 'REFUND 20.00'],
      ['CASH', 'SALE 18.00'],
    ],
  );
  const z = await figures('EDC', closed[1]?.batch);
  assert.equal(z.kind, 'Z');
  assert.deepEqual([z.sums, z.brands], [open.sums, open.brands]);
});

test('a batch that its bank did not settle is no Z', async () => {
  await card(3000n);
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S' });
  assert.deepEqual(await readClosedBatches(stage.journal), []);
});

test('a batch that never was is unknown', async () => {
  const { journal, acquirers } = stage;
  const reports = new Reports({ journal, acquirers: acquirers.acquirers, turns: new ReadingTurns() });
  assert.equal(await readFigures({ acquirer: acquirerId('EDC'), batch: 999_998 }, reports), 'unknown');
});
