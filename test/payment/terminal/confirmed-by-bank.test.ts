import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { ReversalOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { readBatch, readOpenBatch } from '../../../src/payment/records/batch-reader.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { printParts } from '../../pos/api/served.ts';
import { begun } from './method-stage.ts';
import { approves, type HostScript, postsAndIsSilent } from './scripted-host.ts';
import { showsCode } from './scripted-wallet.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';

/** A payment that only the bank has confirmed as posted: what may be done with it, and what is reported. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
});

async function confirmed(type: 'SALE' | 'AUTH' = 'SALE'): Promise<TransactionRecord> {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const record = ended(await stage.paid(sale('M-1', { type })));
  stage.edc.onRequest = () => approves;
  await stage.journal.append(record.id, [{ kind: 'setAside', outcome: 'POSTED' }]);
  assert.equal(await stage.forwarder.flush(stage.edc.id), true);
  return record;
}

async function reported() {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const { financialImpact, reason, retryable, message, tranStatus } = posResponse(answer.record, printParts, answer);
  const items = (await readOpenBatch(stage.journal, stage.edc.id)).batch.items.length;
  return { status: answer.status, tranStatus, financialImpact, reason, retryable, message: String(message), items };
}

describe('a card payment', () => {
  test('can be voided like any other, and nothing of it stands afterwards', async () => {
    const record = await confirmed();
    const before = await reported();
    assert.deepEqual([before.financialImpact, before.retryable, before.items], ['UNKNOWN', 'CALL_OPERATOR', 1]);
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-2', record))).conclusion?.result, 'SUCCESS');
    const { status, financialImpact, reason, retryable, message, items } = await reported();
    assert.deepEqual([status, financialImpact, reason], ['VOIDED', 'REVERSED', 'confirmedReturned']);
    assert.deepEqual([retryable, items], ['NEW_PAYMENT', 0]);
    assert.match(message, /it has been voided since$/);
    const order = stage.edc.requests.at(-1) ?? assert.fail('no void was sent');
    assert.ok('original' in order);
    // Without the host's own number it is named by what it was and its trace number.
    assert.deepEqual(
      [order.original.rrn, order.original.operation, order.original.trace.stan],
      ['', 'sale', record.intent?.trace.stan],
    );
    const again = await stage.terminal.pay(about('VOID', 'M-3', record));
    assert.ok(again.kind === 'refused' && again.refusal.reason === 'originalVoided');
  });

  test('can be refunded in parts, and stands until all of it is refunded', async () => {
    const record = await confirmed();
    const part = { amount: { minor: 1_000n, currency: 'HKD' } } as const;
    assert.equal(ended(await stage.paid(about('REFUND', 'M-2', record, part))).conclusion?.result, 'SUCCESS');
    const half = await reported();
    assert.deepEqual([half.status, half.financialImpact], ['PARTIALLY_REFUNDED', 'UNKNOWN']);
    const rest = { amount: { minor: 2_000n, currency: 'HKD' } } as const;
    assert.equal(ended(await stage.paid(about('REFUND', 'M-3', record, rest))).conclusion?.result, 'SUCCESS');
    const all = await reported();
    assert.deepEqual([all.status, all.financialImpact, all.reason], ['REFUNDED', 'REVERSED', 'confirmedReturned']);
  });
});

describe('a card payment whose void its host declines because it has no record of it', () => {
  const hasNone: HostScript = {
    posted: false,
    outcome: { kind: 'declined', reason: 'declined', responseCode: '25', rrn: '', noRecord: true },
  };
  const settle = async () => {
    const answer = await stage.terminal.settle({
      posId: 'POS-1',
      messageId: 'S-1',
      digest: 'S-1',
      acquirerId: stage.edc.id,
    });
    return answer.kind === 'ended' ? answer.settlement.results?.[0] : undefined;
  };

  async function voidDeclined(reversal: ReversalOutcome): Promise<TransactionRecord> {
    const record = await confirmed();
    stage.edc.onRequest = () => hasNone;
    stage.edc.onReversal = () => reversal;
    await stage.clock.advance(120_000);
    const taken = ended(await stage.terminal.pay(about('VOID', 'M-2', record)));
    assert.equal(taken.conclusion?.result, 'DECLINED');
    return record;
  }

  for (const [answer, reversal] of [
    ['none either', { kind: 'noRecord', responseCode: '25' }],
    ['it, and reverses it', { kind: 'acknowledged', responseCode: '00' }],
  ] as const) {
    test(`asked to reverse it, the host has ${answer}: it is not counted, and not uploaded`, async () => {
      const record = await voidDeclined(reversal);
      assert.equal(await stage.forwarder.flush(stage.edc.id), true);
      const { status, financialImpact, items } = await reported();
      assert.deepEqual([status, financialImpact, items], ['REVERSED', 'REVERSED', 0]);
      assert.equal(stage.edc.reversals.at(-1)?.stan, record.intent?.trace.stan);
      stage.edc.onRequest = () => approves;
      const other = ended(await stage.paid(sale('M-3')));
      stage.edc.onSettlement = ({ trailer }) => ({ kind: trailer ? 'balanced' : 'mismatch' });
      assert.equal((await settle())?.result, 'UPLOADED');
      assert.deepEqual(
        stage.edc.uploads.map(({ original }) => original.trace.stan),
        [other.intent?.trace.stan],
      );
    });
  }

  test('asked to reverse it, the host refuses: it waits for the operator, and the batch with it', async () => {
    const record = await voidDeclined({ kind: 'refused', responseCode: '96' });
    assert.equal(await stage.forwarder.flush(stage.edc.id), false);
    assert.deepEqual(
      (await stage.journal.pending()).map(({ id }) => id),
      [record.id],
    );
    assert.equal((await reported()).financialImpact, 'REVERSAL_PENDING');
    assert.equal((await settle())?.result, 'FAILED');
  });

  test('a payment that the host itself has approved stays as it is', async () => {
    const record = ended(await stage.paid());
    stage.edc.onRequest = () => hasNone;
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-2', record))).conclusion?.result, 'DECLINED');
    assert.deepEqual([(await reported()).status, stage.edc.reversals], ['APPROVED', []]);
  });
});

describe('a message that can name its original only by the number of its host', () => {
  const refused = async (request: Parameters<typeof stage.terminal.pay>[0]) => {
    const answer = await stage.terminal.pay(request);
    return answer.kind === 'refused' ? answer.refusal.reason : answer.kind;
  };

  test('is refused before anything is sent: a tip', async () => {
    const sold = await confirmed();
    const total = { amount: { minor: 3_300n, currency: 'HKD' } } as const;
    assert.equal(await refused(about('TIP_ADJUST', 'M-2', sold, total)), 'originalWithoutNumber');
    assert.deepEqual(await stage.journal.pending(), []);
  });

  test('is refused before anything is sent: a completion; the authorization can be voided', async () => {
    const held = await confirmed('AUTH');
    assert.equal(await refused(about('OFFLINE_SALE', 'M-2', held)), 'originalWithoutNumber');
    assert.deepEqual(await stage.journal.pending(), []);
    assert.match((await reported()).message, /^held, .*Do not authorize again; void it/);
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-3', held))).conclusion?.result, 'SUCCESS');
  });
});

describe('a void of a card payment', () => {
  /** The sale and its void, which only the bank has confirmed; the batch is settled without the sale. */
  async function voidedAndSettled(): Promise<readonly [TransactionRecord, TransactionRecord]> {
    stage.edc.onRequest = () => approves;
    const sale = ended(await stage.paid());
    stage.edc.onRequest = () => postsAndIsSilent;
    stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
    const taken = ended(await stage.terminal.pay(about('VOID', 'M-2', sale)));
    stage.edc.onRequest = () => approves;
    await stage.journal.append(taken.id, [{ kind: 'setAside', outcome: 'POSTED' }]);
    const settled = await stage.terminal.settle({
      posId: 'POS-1',
      messageId: 'S-1',
      digest: 'S-1',
      acquirerId: stage.edc.id,
    });
    assert.ok(settled.kind === 'ended');
    assert.deepEqual(
      settled.settlement.results?.map(({ batch, result }) => [batch, result]),
      [[1, 'BALANCED']],
    );
    return [sale, taken];
  }

  const itemsOf = async (batch: number) =>
    (await readBatch(stage.journal, stage.edc.id, batch)).batch.items.map(({ record }) => record.request.messageId);

  test('that its host reverses late: the sale counts in the open batch, and the settled one stays as it was', async () => {
    const [sale, taken] = await voidedAndSettled();
    assert.deepEqual([await itemsOf(1), await itemsOf(2)], [[], []]);
    await stage.journal.append(taken.id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
    assert.deepEqual([await itemsOf(1), await itemsOf(2)], [[], ['M-1']]);
    const { status } = await reported();
    assert.equal(status, 'APPROVED');
    // It can be settled or voided as any sale of the open batch.
    const again = ended(await stage.terminal.pay(about('VOID', 'M-3', sale)));
    assert.equal(again.conclusion?.result, 'SUCCESS');
    assert.deepEqual([await itemsOf(1), await itemsOf(2)], [[], []]);
  });
});

describe('a wallet’s payment', () => {
  async function unconfirmed(): Promise<TransactionRecord> {
    stage.wallet.onPresent = () => showsCode;
    stage.wallet.onClose = () => ({ closes: false });
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const { answer } = await begun(stage, 'QR_PRESENT');
    const cancelled = stage.terminal.cancel('POS-1', 'M-1');
    await stage.clock.advance(20_000);
    await cancelled;
    const record = ended(await answer);
    await stage.journal.append(record.id, [{ kind: 'setAside', outcome: 'POSTED' }]);
    stage.wallet.onEnquire = () => undefined;
    return record;
  }

  test('is refunded by the number that its host gives for the order', async () => {
    const record = await unconfirmed();
    const [order = assert.fail()] = stage.wallet.waiting;
    assert.ok(stage.wallet.paid(order));
    assert.equal(ended(await stage.terminal.pay(about('REFUND', 'M-2', record))).conclusion?.result, 'SUCCESS');
    assert.equal(stage.wallet.books.get(order)?.state, 'refunded');
  });

  test('is not refunded if its host does not show it as paid: nothing is sent', async () => {
    const record = await unconfirmed();
    const answer = ended(await stage.terminal.pay(about('REFUND', 'M-2', record)));
    assert.equal(answer.conclusion?.reason, 'originalNotApproved');
    assert.ok(!stage.wallet.calls.some(({ call }) => call === 'refund'));
    assert.equal((await readOpenBatch(stage.journal, acquirerId('QR'))).batch.items.length, 1);
  });
});
