import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { about, ended, sale, Stage } from './stage.ts';

/** An older copy was put back: what was paid, refunded and voided since is not in the journal, and a POS may ask for it. */

let stage: Stage;
let first: TransactionRecord;
beforeEach(() => {
  stage = new Stage();
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
});

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const file = () => path.join(stage.dir, 'journal.db');
const copy = () => path.join(stage.dir, 'copy.db');

/** A sale of 17.00 is in the copy; a refund of 5.00 of it, M-2, and a sale of 9.00, M-3, are lost. */
async function putBack(): Promise<void> {
  first = ended(await stage.paid(sale('M-1', hkd(1700n))));
  await stage.restart(() => copyFileSync(file(), copy()));
  ended(await stage.paid(about('REFUND', 'M-2', first, hkd(500n))));
  ended(await stage.paid(sale('M-3', hkd(900n))));
  await stage.restart(() => copyFileSync(copy(), file()));
}

async function compared(): Promise<void> {
  for (const { number } of await stage.journal.discrepancies()) {
    assert.equal(await stage.journal.settleDiscrepancy(number, 'session'), true);
  }
}

const reasonOf = (answer: PayAnswer) => (answer.kind === 'refused' ? answer.refusal.reason : answer.kind);

describe('a POS', () => {
  test('that repeats a payment which is lost is not charged again, however often it repeats it', async () => {
    await putBack();
    const before = stage.posted;
    for (let times = 0; times < 3; times++) {
      assert.equal((await stage.paid(sale('M-3', hkd(900n)))).kind, 'restored');
    }
    await stage.restart();
    assert.equal((await stage.paid(sale('M-3', hkd(900n)))).kind, 'restored');
    assert.equal(stage.posted, before);
  });

  test('with two lost payments charges neither again, also after a restart', async () => {
    await putBack();
    const before = stage.posted;
    for (const restarts of [false, true]) {
      if (restarts) await stage.restart();
      for (const messageId of ['M-3', 'M-2', 'M-3']) {
        assert.equal((await stage.paid(sale(messageId, hkd(900n)))).kind, 'restored');
      }
    }
    assert.equal(stage.posted, before);
  });

  test('has its payments of the copy answered as ever, and the menu of the operator sells', async () => {
    await putBack();
    assert.equal(ended(await stage.paid(sale('M-1', hkd(1700n)))).id, first.id);
    assert.equal((await stage.paid(sale('M-4'))).kind, 'restored');
    assert.equal((await stage.paid(sale('M-5', { posId: 'POS-2' }))).kind, 'restored');
    assert.equal((await stage.paid(sale('M-6', { posId: 'OPERATOR' }))).kind, 'ended');
  });

  test('pays as ever once the operator has compared the journal with the bank', async () => {
    await putBack();
    await compared();
    assert.equal((await stage.paid(sale('M-4'))).kind, 'ended');
  });

  test('is never told that a payment which is lost was not made, before the operator has compared', async () => {
    await putBack();
    const { at } = stage.journal.restored ?? assert.fail('not restored');
    await stage.clock.advance(3 * 86_400_000);
    assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-3'), { kind: 'notFound', since: at });
    await compared();
    assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-3'), { kind: 'notFound' });
  });
});

describe('a payment of the copy', () => {
  test('is not refunded before the operator has compared: it may have been already', async () => {
    await putBack();
    const posted = stage.posted;
    const menu = { posId: 'OPERATOR' };
    assert.equal(
      reasonOf(await stage.paid(about('REFUND', 'M-4', first, { ...hkd(1200n), ...menu }))),
      'beforeJournal',
    );
    // Its batch is closed, so it can't be voided in any case.
    assert.equal(reasonOf(await stage.paid(about('VOID', 'M-5', first, menu))), 'originalSettled');
    assert.equal(stage.posted, posted);
    await compared();
    ended(await stage.paid(about('REFUND', 'M-6', first, hkd(1200n))));
  });

  test('is refused for its own reason first', async () => {
    await putBack();
    const asked = about('REFUND', 'M-4', first, { ...hkd(1800n), posId: 'OPERATOR' });
    assert.equal(reasonOf(await stage.paid(asked)), 'aboveOriginal');
  });

  test('a payment after it is refunded and voided as ever', async () => {
    await putBack();
    const next = ended(await stage.paid(sale('M-4', { ...hkd(1700n), posId: 'OPERATOR' })));
    ended(await stage.paid(about('REFUND', 'M-5', next, { ...hkd(500n), posId: 'OPERATOR' })));
  });
});

test('a new journal is not restored: the first payment begins, and is refunded', async () => {
  const one = ended(await stage.paid(sale('M-1')));
  ended(await stage.paid(about('REFUND', 'M-2', one, hkd(500n))));
  assert.deepEqual([stage.journal.restored, await stage.journal.discrepancies()], [undefined, []]);
  rmSync(copy(), { force: true });
  await stage.restart();
  ended(await stage.paid(sale('M-3')));
});
