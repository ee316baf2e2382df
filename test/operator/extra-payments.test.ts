import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ClosedOrderRequery } from '../../src/methods/wallet/closed-order-requery.ts';
import type { AuditEntry } from '../../src/operator/audit.ts';
import { settled } from '../support/manual-clock.ts';
import { lagMs, lookingAt } from '../payment/terminal/looking.ts';
import { showsCode } from '../payment/terminal/scripted-wallet.ts';
import { begun } from '../payment/terminal/method-stage.ts';
import { about, ended, everything, Stage } from '../payment/terminal/stage.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { cashReturnsOf } from '../../src/payment/records/cash-returns.ts';
import { transactionRecord } from '../../src/payment/records/record.ts';
import { reportFigures } from '../../src/payment/records/report-figures.ts';
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../src/payment/terminal/reports.ts';
import { confirmation } from './bare-menu.ts';
import { openMenu } from './stage-menu.ts';

/** A code was on show, a card has paid, and the payment by the code has arrived as well. */

let stage: Stage;
let look: ClosedOrderRequery;
let audit: AuditEntry[];
let pulses: { readonly posId: string; readonly messageId: string }[];
beforeEach(() => {
  audit = [];
  pulses = [];
  stage = new Stage(undefined, { ...everything });
  look = lookingAt(stage, stage.failures);
});
afterEach(async () => {
  await look.close();
  stage.close();
  assert.deepEqual(stage.failures, []);
});

async function nameExtraPayments(wallet: 'FPS' | 'ALIPAY', messageId = 'M-1') {
  const { answer } = await begun(stage, 'QR_PRESENT', messageId, { preferredInstrument: wallet });
  stage.act({ kind: 'choose', mode: 'CARD' });
  await settled();
  void stage.reader.present();
  const { id } = ended(await answer);
  const kept = [...stage.wallet.books].find(([tradeNo]) => tradeNo.startsWith(id))?.[1] ?? assert.fail('no order');
  kept.state = 'paid';
  await stage.clock.advance(2 * lagMs);
  return id;
}

async function opened() {
  const { menu, session } = await openMenu(stage, {
    audit: { write: async (entry) => void audit.push(entry) },
    machine: {
      devices: () => [],
      addresses: () => [],
      openDrawer: async (name) => {
        pulses.push(name);
        return 'opened';
      },
    },
  });
  await menu.refresh();
  const waiting = async () => (await menu.handle({ kind: 'waiting', session })).body['extraPayments'];
  const giveBack = (transaction: string) =>
    menu.handle({ kind: 'givenBackInCash', session, confirmation, transaction });
  return { menu, waiting, giveBack };
}

const extraOf = (id: Parameters<Stage['journal']['store']['later']>[0]) =>
  stage.journal.store.later(id)[0]?.id ?? assert.fail('no extra payment');

test('the operator sees what is to be given back, and marks it as given back in cash: once', async () => {
  const sale = await nameExtraPayments('FPS');
  const extra = extraOf(sale);
  const { menu, waiting, giveBack } = await opened();
  assert.equal(menu.view.extraPayments, 1);
  assert.partialDeepStrictEqual(await waiting(), [
    { id: extra, method: 'FPS', amount: '30.00', currency: 'HKD', state: 'toBeReturned', ofTransaction: sale },
  ]);
  assert.equal((await giveBack(extra)).status, 200);
  assert.deepEqual([await waiting(), menu.view.extraPayments], [[], undefined]);
  const { event } = stage.journal.store.read(extra).at(-1) ?? assert.fail('nothing written');
  const [{ session } = assert.fail('no audit')] = audit.filter(({ action }) => action === 'givenBackInCash');
  const drawer = { acquirerId: 'QR', batch: stage.journal.store.openBatch(stage.wallet.id) };
  assert.deepEqual(event, { kind: 'givenBackInCash', who: 'OPERATOR', session, drawer });
  const detail = { confirmation, transaction: extra };
  assert.deepEqual(audit.slice(1), [
    { session, action: 'givenBackInCash', detail, state: 'asked' },
    { session, action: 'givenBackInCash', detail, state: 'done' },
  ]);
  assert.deepEqual(pulses, [{ posId: 'OPERATOR', messageId: confirmation }]);
  assert.equal((await giveBack(extra)).body['reason'], 'notWaiting');
  assert.equal(pulses.length, 1, 'the drawer opens once');
});

test('the cash comes from the drawer of the open batch, whatever batch has the payment', async () => {
  const extra = extraOf(await nameExtraPayments('FPS'));
  const settlement = { posId: 'POS-1', messageId: 'S-1', digest: 'S-1' };
  assert.equal((await stage.terminal.settle({ ...settlement, acquirerId: stage.wallet.id })).kind, 'ended');
  const { answer } = await begun(stage, 'CASH', 'M-2', { amount: { minor: 5000n, currency: 'HKD' } });
  stage.act({ kind: 'tender', amount: '50' });
  ended(await answer);

  const { menu, session } = await openMenu(stage, { acquirers: ['EDC', 'QR', 'CASH'] });
  assert.equal((await menu.handle({ kind: 'givenBackInCash', session, confirmation, transaction: extra })).status, 200);
  const reports = new Reports({
    journal: stage.journal,
    acquirers: stage.acquirers.acquirers,
    turns: new ReadingTurns(),
  });
  const cashOf = async (...asked: Parameters<Reports['read']>) => {
    const read = await reports.read(...asked);
    return typeof read === 'string' ? read : reportFigures(read).cash.map(({ minor }) => minor);
  };
  assert.deepEqual(await cashOf(), [2000n]);
  assert.deepEqual(await cashOf(acquirerId('CASH')), [2000n]);
  assert.deepEqual(await cashOf(stage.wallet.id), []);
  assert.deepEqual(
    await cashOf(undefined, undefined, { posId: 'POS-1' }),
    [5000n],
    'the operator’s cash is not of one POS',
  );

  const batch = stage.journal.store.openBatch(acquirerId('CASH'));
  await stage.terminal.settle({ ...settlement, messageId: 'S-2', digest: 'S-2', acquirerId: acquirerId('CASH') });
  assert.deepEqual([await cashOf(), await cashOf(acquirerId('CASH'), batch)], [[], [2000n]]);
});

test('a payment that counts late and is given back in cash is taken from the drawer too', async () => {
  stage.wallet.onPresent = () => showsCode;
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
  const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
  await stage.clock.advance(600_000);
  const { id } = ended(await answer);
  stage.wallet.paid();
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(600_000);
  const { menu, session } = await openMenu(stage, { acquirers: ['EDC', 'QR', 'CASH'] });
  const give = () => menu.handle({ kind: 'givenBackInCash', session, confirmation, transaction: id });
  assert.deepEqual([(await give()).status, (await give()).body['reason']], [200, 'notWaiting']);
  const { journal } = stage;
  const reports = new Reports({ journal, acquirers: stage.acquirers.acquirers, turns: new ReadingTurns() });
  const read = await reports.read();
  assert.ok(typeof read !== 'string');
  assert.deepEqual(
    reportFigures(read).cash.map(({ minor }) => minor),
    [-3000n],
  );
});

describe('an extra payment whose wallet can refund by its present configuration', () => {
  const refund = async (extra: ReturnType<typeof extraOf>, messageId: string, minor: bigint) => {
    const record = transactionRecord(extra, await stage.journal.read(extra));
    return stage.terminal.pay(about('REFUND', messageId, record, { amount: { minor, currency: 'HKD' } }));
  };

  /** FPS could not refund when it was paid, and can now. */
  async function nowRefundable() {
    const extra = extraOf(await nameExtraPayments('FPS'));
    await look.close();
    await stage.forwarder.close();
    Object.assign(stage.equipment, { allRefunds: true });
    await stage.restart();
    look = lookingAt(stage, stage.failures);
    return extra;
  }

  test('is not to be given back in cash once it was refunded', async () => {
    const extra = await nowRefundable();
    assert.equal(ended(await refund(extra, 'R-1', 3000n)).conclusion?.result, 'SUCCESS');
    const { menu, waiting, giveBack } = await opened();
    assert.deepEqual([await waiting(), menu.view.extraPayments], [[], undefined]);
    assert.equal((await giveBack(extra)).body['reason'], 'notWaiting');
    assert.deepEqual(pulses, []);
  });

  test('is to be given back in cash as far as it was not refunded', async () => {
    const extra = await nowRefundable();
    assert.equal(ended(await refund(extra, 'R-1', 1000n)).conclusion?.result, 'SUCCESS');
    const { waiting, giveBack } = await opened();
    assert.partialDeepStrictEqual(await waiting(), [{ id: extra, amount: '20.00', state: 'toBeReturned' }]);
    assert.equal((await giveBack(extra)).status, 200);
    const back = cashReturnsOf(transactionRecord(extra, await stage.journal.read(extra)));
    assert.deepEqual(
      back.map(({ amount }) => amount),
      [{ minor: 2000n, currency: 'HKD' }],
    );
  });

  test('can’t be refunded once it was given back in cash', async () => {
    const extra = await nowRefundable();
    const { giveBack } = await opened();
    assert.equal((await giveBack(extra)).status, 200);
    const answer = await refund(extra, 'R-1', 3000n);
    assert.ok(answer.kind === 'refused' && answer.refusal.reason === 'originalRefunded');
  });

  test('is not to be given back in cash while its refund is unknown', async () => {
    const extra = await nowRefundable();
    stage.wallet.onRefund = () => ({ outcome: { kind: 'unknown', reason: 'no-answer' } });
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const answer = refund(extra, 'R-1', 3000n);
    await stage.clock.advance(lagMs);
    await answer;
    const { waiting, giveBack } = await opened();
    assert.partialDeepStrictEqual(await waiting(), [{ id: extra, state: 'beingReturned' }]);
    assert.equal((await giveBack(extra)).body['reason'], 'notWaiting');
    stage.wallet.onRefund = ({ tradeNo }) => ({ state: 'paid', outcome: stage.wallet.approvalOf(tradeNo) });
    stage.wallet.onEnquire = () => undefined;
    await stage.clock.advance(lagMs);
  });
});

test('what the wallet refunds by itself is listed until it is refunded, and nobody can mark it', async () => {
  stage.wallet.onRefund = () => ({ outcome: { kind: 'unknown', reason: 'no-answer' } });
  const extra = extraOf(await nameExtraPayments('ALIPAY'));
  const { menu, waiting, giveBack } = await opened();
  assert.partialDeepStrictEqual(await waiting(), [{ id: extra, method: 'ALIPAY', state: 'beingReturned' }]);
  assert.equal(menu.view.extraPayments, undefined, 'nobody has to act');
  assert.equal((await giveBack(extra)).body['reason'], 'notWaiting');
  stage.wallet.onRefund = ({ tradeNo }) => ({ state: 'paid', outcome: stage.wallet.approvalOf(tradeNo) });
  await stage.clock.advance(lagMs);
  assert.deepEqual(await (await opened()).waiting(), []);
});

test('a sale itself, or what nobody knows, is no such payment', async () => {
  const sale = await nameExtraPayments('FPS');
  const { giveBack } = await opened();
  assert.equal((await giveBack(sale)).body['reason'], 'notWaiting');
  assert.equal((await giveBack('01KDVDRZ60040G2081040G2089')).body['reason'], 'notWaiting');
});

test('a journal that the version before may still read gets no such event', async () => {
  const extra = extraOf(await nameExtraPayments('FPS'));
  stage.journal.takes = (kind) => kind !== 'givenBackInCash';
  const { giveBack } = await opened();
  assert.equal((await giveBack(extra)).body['reason'], 'onTrial');
  assert.deepEqual(pulses, []);
});

test('while a payment runs nothing is written', async () => {
  const extra = extraOf(await nameExtraPayments('FPS'));
  const { giveBack } = await opened();
  const { answer } = await begun(stage, 'CARD', 'M-2');
  assert.equal((await giveBack(extra)).body['reason'], 'busy');
  void stage.reader.present();
  ended(await answer);
  assert.equal((await giveBack(extra)).status, 200);
});

test('it is listed after a restart too', async () => {
  const extra = extraOf(await nameExtraPayments('FPS'));
  await look.close();
  await stage.forwarder.close();
  await stage.restart();
  look = lookingAt(stage, stage.failures);
  const { waiting } = await opened();
  assert.partialDeepStrictEqual(await waiting(), [{ id: extra }]);
});
