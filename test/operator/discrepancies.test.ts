import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { groupedText } from '../../src/base/domain/amount.ts';
import type { AuditEntry } from '../../src/operator/audit.ts';
import { decideBatch } from '../../src/operator/waiting-batch.ts';
import { unsettledMoney, unsettledText } from '../../src/payment/records/unsettled.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';
import { confirmation } from './bare-menu.ts';
import { openMenu } from './stage-menu.ts';

/** Differences from the books of the bank stay in the operator's list until they are settled with the bank. */

const EDC = acquirerId('EDC');
const mismatch = { kind: 'mismatch' } as const;
const balanced = { kind: 'balanced' } as const;

let stage: Stage;
let audit: AuditEntry[];
beforeEach(() => {
  audit = [];
  stage = new Stage();
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
});

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const pay = async (messageId: string, minor: bigint) => ended(await stage.paid(sale(messageId, hkd(minor))));

async function settle(messageId: string) {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  return answer.kind === 'ended' ? (answer.settlement.results ?? []) : assert.fail(answer.kind);
}

/** The copy has a sale of 17.00 and a refund of 2.00 of it; a sale of 5.00 is lost with what came after. */
async function putBack(): Promise<void> {
  const [file, copy] = ['journal.db', 'copy.db'].map((name) => path.join(stage.dir, name)) as [string, string];
  const first = await pay('M-1', 1700n);
  ended(await stage.paid(about('REFUND', 'M-2', first, hkd(200n))));
  await stage.restart(() => copyFileSync(file, copy));
  await pay('M-3', 500n);
  await stage.restart(() => copyFileSync(copy, file));
  assert.match(stage.journal.store.putBack() ?? '', /older copy/);
}

/** The host has the lost sale as well, so it answers 95 until the batch is uploaded. */
async function settledWithDifference(): Promise<void> {
  await putBack();
  await settle('S-1');
  await decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, 'NOT_SETTLED', {
    journal: stage.journal,
    acquirers: ['EDC'],
    takesBatch: stage.terminal.room.takesBatch,
  });
  stage.edc.onSettlement = ({ batch, trailer }) => (batch === 1 && !trailer ? mismatch : balanced);
  stage.edc.onUpload = () => ({ kind: 'accepted' });
  assert.equal((await settle('S-2'))[0]?.result, 'UPLOADED');
}

async function opened() {
  const { menu, session } = await openMenu(stage, { audit: { write: async (entry) => void audit.push(entry) } });
  await menu.refresh();
  const waiting = async () => (await menu.handle({ kind: 'waiting', session })).body['discrepancies'];
  const mark = (discrepancy: number) => menu.handle({ kind: 'settledWithBank', session, confirmation, discrepancy });
  return { menu, waiting, mark };
}

const unsettled = async () => (await unsettledMoney(stage.journal)).map((each) => unsettledText(each, groupedText));

describe('a batch of a copy, whose host has what was lost', () => {
  test('stays in every list with its sums until the operator has settled it with the bank, once', async () => {
    await settledWithDifference();
    await stage.restart();
    const { menu, waiting, mark } = await opened();
    const batch = {
      kind: 'booksDiffer',
      number: 2,
      acquirer: 'EDC',
      batch: 1,
      currency: 'HKD',
      sales: { count: 1, amount: '17.00' },
      refunds: { count: 1, amount: '2.00' },
    };
    assert.partialDeepStrictEqual(await waiting(), [{ kind: 'journalRestored', number: 1 }, batch]);
    assert.deepEqual([menu.view.booksDiffer, menu.view.restored], [1, true]);
    const line = (await unsettled()).find((each) => each.startsWith('EDC: 1 settled batch'));
    assert.match(line ?? '', /batch 1 HKD, 1 SALE 17\.00 HKD, 1 REFUND 2\.00 HKD/);

    assert.equal((await mark(2)).status, 200);
    assert.deepEqual([menu.view.booksDiffer, menu.view.restored], [undefined, true]);
    assert.equal((await mark(2)).body['reason'], 'notWaiting');
    assert.equal((await mark(1)).status, 200);
    assert.deepEqual([await waiting(), menu.view.restored], [[], undefined]);
    assert.deepEqual(await unsettled(), []);
    assert.deepEqual(
      audit.flatMap(({ action, state, detail }) =>
        action === 'settledWithBank' ? [[state, detail?.['discrepancy']]] : [],
      ),
      [
        ['asked', 2],
        ['done', 2],
        ['asked', 2],
        ['refused', 2],
        ['asked', 1],
        ['done', 1],
      ],
    );
    await stage.restart();
    assert.deepEqual(await stage.journal.discrepancies(), []);
  });
});

test('what the host rejects of a batch is listed with its sum', async () => {
  await pay('M-1', 1700n);
  await pay('M-2', 500n);
  stage.edc.onSettlement = ({ trailer }) => (trailer ? balanced : mismatch);
  stage.edc.onUpload = ({ amount }) =>
    amount.minor === 500n ? { kind: 'rejected', responseCode: '25' } : { kind: 'accepted' };
  await settle('S-1');
  await decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, 'NOT_SETTLED', {
    journal: stage.journal,
    acquirers: ['EDC'],
    takesBatch: stage.terminal.room.takesBatch,
  });
  await settle('S-2');
  const { waiting } = await opened();
  assert.partialDeepStrictEqual(await waiting(), [
    {
      sales: { count: 2, amount: '22.00' },
      rejected: { sales: { count: 1, amount: '5.00' }, refunds: { count: 0, amount: '0.00' } },
    },
  ]);
});

test('books that agree leave nothing', async () => {
  await pay('M-1', 1700n);
  assert.equal((await settle('S-1'))[0]?.result, 'BALANCED');
  const { menu, waiting } = await opened();
  assert.deepEqual([await waiting(), menu.view.booksDiffer, await unsettled()], [[], undefined, []]);
});
