import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import type { AdviceOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { UnsettledSearch } from '../../../src/payment/records/first-unsettled.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { settled } from '../../support/manual-clock.ts';
import { declines, isSilent, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';

/** Authorizations of Visa, Mastercard, Amex and JCB: an OFFLINE_SALE completes them, VOID releases them. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const unanswered: AdviceOutcome = { kind: 'unanswered' };

async function held(messageId = 'M-1', minor = 3000n): Promise<TransactionRecord> {
  const auth = ended(await stage.paid(sale(messageId, { type: 'AUTH', ...hkd(minor) }), 'visa'));
  assert.equal(auth.intent?.acquirerId, 'EDC');
  return auth;
}

async function asks(type: TransactionType, messageId: string, original: TransactionRecord, minor = 3000n) {
  return ended(await stage.terminal.pay(about(type, messageId, original, hkd(minor))));
}

async function refusedWith(type: TransactionType, original: TransactionRecord, minor = 3000n): Promise<string> {
  const answer = await stage.terminal.pay(about(type, `R-${Math.trunc(Number(minor))}-${type}`, original, hkd(minor)));
  return answer.kind === 'refused' ? answer.refusal.reason : assert.fail(answer.kind);
}

/** What an enquiry tells of the authorization. */
async function statusOf({ request: { posId, messageId } }: TransactionRecord): Promise<string> {
  const answer = await stage.terminal.enquire(posId, messageId);
  return answer.kind === 'ended' ? answer.status : assert.fail(answer.kind);
}

describe('an offline sale that names an authorization', () => {
  test('leaves no moment at which a search finds nothing unsettled', async () => {
    const auth = await held();
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 's' });
    const { journal } = stage;
    const edc = acquirerId('EDC');
    const found = await new UnsettledSearch(journal).find([edc]);
    assert.deepEqual([found?.kind, found?.id], ['settledAuth', auth.id]);
    let completed: TransactionRecord | undefined;
    // The authorization is completed after the search has read the open batch, and before it reads authorizations.
    const search = new UnsettledSearch(
      new Proxy(journal, {
        get: (_, name) => {
          const value: unknown = Reflect.get(journal, name);
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]) => {
            const read: unknown = await Reflect.apply(value, journal, given);
            if (name === 'batchPage' && !completed) {
              completed = await asks('OFFLINE_SALE', 'M-2', auth, 2500n);
              await settled();
            }
            return read;
          };
        },
      }),
    );
    const later = await search.find([edc]);
    assert.equal(completed?.conclusion?.result, 'SUCCESS');
    assert.deepEqual([later?.kind, later?.id], ['openBatch', completed.id]);
  });

  test('completes it: no card, one commit, and the message of a completion', async () => {
    const auth = await held();
    const armed = stage.trace.count('reader: armed');
    const record = await asks('OFFLINE_SALE', 'M-2', auth, 2500n);
    assert.equal(record.conclusion?.result, 'SUCCESS');
    assert.equal(stage.trace.count('reader: armed'), armed, 'no card is asked for');
    assert.equal(stage.trace.count('commit: intent+answered+adviceQueued+ended'), 1);
    await settled();
    const { order } = stage.edc.advices[0] ?? assert.fail('nothing was sent');
    assert.ok(order.operation === 'completion');
    assert.deepEqual(order.trace, { stan: 2, invoice: 2, batch: 1 });
    assert.deepEqual([order.amount.minor, order.original.amount.minor], [2500n, 3000n]);
    assert.deepEqual(order.original.trace, { stan: 1, invoice: 1, batch: 1 });
    assert.equal(order.original.approvalCode, '123456');
    assert.equal(await statusOf(auth), 'COMPLETED');
  });

  test('is settled with its amount, uploaded where the books differ, and holds nothing any more', async () => {
    const auth = await held();
    const open = await held('M-3', 700n);
    const record = await asks('OFFLINE_SALE', 'M-2', auth, 2500n);
    await settled();
    let asked = 0;
    stage.edc.onSettlement = () => ({ kind: (asked += 1) === 1 ? 'mismatch' : 'balanced' });
    const answer = await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 's' });
    assert.ok(answer.kind === 'ended');
    const batch = answer.settlement.results?.find(({ acquirerId }) => acquirerId === 'EDC');
    assert.deepEqual(batch?.totals, [{ kind: 'OFFLINE_SALE', currency: 'HKD', count: 1, totalMinor: '2500' }]);
    assert.deepEqual(batch.openAuths, [{ kind: 'AUTH', currency: 'HKD', count: 1, totalMinor: '700' }]);
    assert.deepEqual(
      stage.edc.uploads.map(({ original, amount }) => [original.trace.stan, amount.minor]),
      [[record.intent?.trace.stan, 2500n]],
    );
    // Both may still be asked for after the settlement.
    assert.equal((await asks('VOID', 'M-4', open, 700n)).conclusion?.result, 'SUCCESS');
  });

  test('while the host is down waits for it, over a crash, and is posted once', async () => {
    const auth = await held();
    stage.edc.onAdvice = () => unanswered;
    await asks('OFFLINE_SALE', 'M-2', auth);
    await settled();
    stage.edc.onAdvice = () => takesAdvice;
    await stage.restart();
    await stage.trace.seen('commit: adviceAnswered');
    assert.deepEqual([...new Set(stage.edc.advices.map(({ order }) => order.trace.stan))], [2]);
    assert.equal(await statusOf(auth), 'COMPLETED');
    assert.equal(await refusedWith('OFFLINE_SALE', auth), 'originalCompleted');
    // The same request again is the same transaction.
    assert.equal((await asks('OFFLINE_SALE', 'M-2', auth)).conclusion?.result, 'SUCCESS');
    assert.equal(stage.edc.posted, 2);
  });

  test('that its host rejects takes nothing, and the authorization is there again', async () => {
    const auth = await held();
    stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
    const record = await asks('OFFLINE_SALE', 'M-2', auth);
    await stage.trace.seen('commit: adviceAnswered');
    const reported = ended(await stage.terminal.pay(about('OFFLINE_SALE', 'M-2', auth, hkd(3000n))));
    assert.match(presentConclusion(reported).message, /nothing is charged, the auth stands as it was/);
    assert.equal(reported.id, record.id);
    assert.equal(await statusOf(auth), 'APPROVED');
    stage.edc.onAdvice = () => takesAdvice;
    assert.equal((await asks('OFFLINE_SALE', 'M-3', auth)).conclusion?.result, 'SUCCESS');
  });

  test('is under no floor limit, and takes none away from offline sales', async () => {
    stage.close();
    stage = new Stage(undefined, { offline: { amountMinorMax: 1000n, countMax: 1, sumMinorMax: 1000n } });
    stage.edc.onAdvice = () => unanswered;
    const auth = await held();
    assert.equal((await asks('OFFLINE_SALE', 'M-2', auth)).conclusion?.result, 'SUCCESS');
    const offline = sale('M-3', { type: 'OFFLINE_SALE', ...hkd(1000n) });
    assert.equal(ended(await stage.paid(offline)).conclusion?.result, 'SUCCESS');
  });
});

describe('VOID of an authorization', () => {
  test('releases it at the host: no card, the void of its number', async () => {
    const auth = await held();
    const record = await asks('VOID', 'M-2', auth);
    assert.deepEqual([record.conclusion?.result, record.request.type], ['SUCCESS', 'VOID_AUTH']);
    const order = stage.edc.requests.at(-1);
    assert.ok(order?.operation === 'void');
    assert.deepEqual(order.trace, { stan: 2, invoice: 1, batch: 1 });
    assert.deepEqual(order.original.trace, { stan: 1, invoice: 1, batch: 1 });
    assert.equal(await statusOf(auth), 'RELEASED');
  });

  for (const [what, script] of [
    ['was posted', postsAndIsSilent],
    ['was not posted', isSilent],
  ] as const) {
    test(`without an answer, and it ${what}: taken back, and the hold stands`, async () => {
      const auth = await held();
      stage.edc.onRequest = () => script;
      const record = await asks('VOID', 'M-2', auth);
      assert.deepEqual([record.conclusion?.result, financialImpact(record)], ['ERROR', 'REVERSED']);
      assert.equal(await statusOf(auth), 'APPROVED');
      assert.equal((await asks('OFFLINE_SALE', 'M-3', auth)).conclusion?.result, 'SUCCESS');
    });
  }

  test('cut off by a crash: taken back at the next start, and may be asked for again', async () => {
    const auth = await held();
    stage.edc.onRequest = () => new Promise(() => undefined);
    void stage.terminal.pay(about('VOID', 'M-2', auth)).catch(() => undefined);
    await stage.trace.seen('EDC: void');
    await stage.restart();
    await stage.trace.seen('commit: reversalAcknowledged');
    assert.equal(await statusOf(auth), 'APPROVED');
    stage.edc.onRequest = () => declines('12');
    assert.equal((await asks('VOID', 'M-3', auth)).conclusion?.result, 'DECLINED');
    assert.equal(await statusOf(auth), 'APPROVED');
  });

  test('by the name of UnionPay’s kind is not for this card', async () => {
    assert.equal(await refusedWith('VOID_AUTH', await held()), 'kindNotPossible');
  });
});

test('each wrong request about an authorization is refused for a reason of its own, and nothing is sent', async () => {
  const auth = await held('M-1');
  await asks('OFFLINE_SALE', 'M-2', auth);
  const released = await held('M-3');
  await asks('VOID', 'M-4', released);
  const open = await held('M-5');
  const sold = ended(await stage.paid(sale('M-6')));
  await settled();
  const sent = stage.edc.requests.length + stage.edc.advices.length;
  assert.deepEqual(
    [
      await refusedWith('OFFLINE_SALE', auth),
      await refusedWith('VOID', auth),
      await refusedWith('OFFLINE_SALE', released),
      await refusedWith('VOID', released),
      await refusedWith('OFFLINE_SALE', open, 3451n),
      await refusedWith('AUTH_COMP', open),
      await refusedWith('OFFLINE_SALE', sold),
    ],
    [
      'originalCompleted',
      'originalCompleted',
      'originalReleased',
      'originalReleased',
      'aboveCompletion',
      'kindNotPossible',
      'originalOfOtherKind',
    ],
  );
  assert.equal(stage.edc.requests.length + stage.edc.advices.length, sent);
});

test('a void of the completion gives the hold back, which is released then', async () => {
  const auth = await held();
  const record = await asks('OFFLINE_SALE', 'M-2', auth, 2500n);
  await settled();
  const voided = await asks('VOID', 'M-3', record, 2500n);
  assert.deepEqual([voided.conclusion?.result, voided.request.type], ['SUCCESS', 'VOID_OFFLINE']);
  assert.equal(await statusOf(auth), 'APPROVED');
  assert.equal((await asks('VOID', 'M-4', auth)).conclusion?.result, 'SUCCESS');
  assert.equal(await statusOf(auth), 'RELEASED');
});
