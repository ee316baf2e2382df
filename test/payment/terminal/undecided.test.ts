import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { declineReason } from '../../../src/hosts/iso8583/dialect.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { approves, type HostScript } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const noRecord = { kind: 'noRecord', responseCode: '25' } as const;

function undecided(responseCode: string, posted: boolean): HostScript {
  return {
    posted,
    outcome: {
      kind: 'declined',
      reason: declineReason(responseCode),
      responseCode,
      rrn: '000000000001',
      undecided: true,
    },
  };
}

test('the host could not decide, and something behind it has posted it: it is reversed before the POS hears', async () => {
  stage.edc.onRequest = () => undecided('91', true);
  const record = ended(await stage.paid());
  assert.deepEqual([record.conclusion?.result, financialImpact(record), stage.edc.posted], ['ERROR', 'REVERSED', 0]);
  assert.match(record.conclusion?.message ?? '', /code 91/);
  assert.equal(stage.trace.count('commit: answered+reversalQueued'), 1);
});

test('it has no record yet: the reversal is repeated, and the next payment does not wait for it', async () => {
  stage.edc.onRequest = () => undecided('96', false);
  stage.edc.onReversal = () => noRecord;
  assert.equal(financialImpact(ended(await stage.paid())), 'REVERSAL_PENDING');
  stage.edc.onRequest = () => approves;
  assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
  await stage.clock.advance(120_000);
  assert.equal(financialImpact(ended(await stage.terminal.pay(sale('M-1')))), 'REVERSED');
  assert.deepEqual([stage.edc.reversals.length, stage.journal.store.pending().length], [2, 0]);
});

for (const code of ['09', '68', '91'])
  test(`${code}, and posted five seconds later: the repeat of the reversal finds it`, async () => {
    let posted = false;
    stage.edc.onRequest = () => {
      stage.clock.setTimeout(() => (posted = true), 5_000);
      return undecided(code, false);
    };
    stage.edc.onReversal = () => {
      if (!posted) return noRecord;
      posted = false;
      return { kind: 'acknowledged', responseCode: '00' };
    };
    ended(await stage.paid());
    await stage.clock.advance(120_000);
    assert.equal(posted, false);
    assert.equal(financialImpact(ended(await stage.terminal.pay(sale('M-1')))), 'REVERSED');
  });

test('a restart before the reversal is through: told the same, and reversed', async () => {
  stage.edc.onRequest = () => undecided('91', true);
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  assert.equal(financialImpact(ended(await stage.paid())), 'REVERSAL_PENDING');
  stage.edc.onReversal = () => ({ kind: 'acknowledged', responseCode: '00' });
  await stage.restart();
  await stage.clock.advance(60_000);
  assert.equal(stage.edc.posted, 0);
  assert.equal(financialImpact(ended(await stage.terminal.pay(sale('M-1')))), 'REVERSED');
});

test('an answer that can’t be written is reversed as any other', async () => {
  stage.edc.onRequest = () => undecided('91', true);
  stage.journal.fault = (_call, operation) => operation === 'append';
  const answer = stage.paid().catch(() => undefined);
  await stage.trace.seen('EDC: sale', 1);
  await answer;
  stage.journal.fault = () => false;
  await stage.clock.advance(60_000);
  assert.equal(stage.edc.posted, 0);
});
