import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { AcquirerId, TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { readStory } from '../../src/operator/story.ts';
import { setAside, type Waiting, waitingOnes, type SetAsideParts } from '../../src/operator/waiting.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { readOpenBatch } from '../../src/payment/records/batch-reader.ts';
import { readableRecord } from '../../src/payment/records/record.ts';
import { triesBefore } from '../../src/payment/transaction/set-aside.ts';
import { pageModule } from '../screen/page-module.ts';
import { postsAndIsSilent } from '../payment/terminal/scripted-host.ts';
import { ended, rules, sale, Stage } from '../payment/terminal/stage.ts';
import { decidesAtOnce } from '../support/decides-at-once.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

function parts(more: Partial<SetAsideParts> = {}): SetAsideParts {
  const isUnsendable = (id: TerminalTransactionId) => stage.forwarder.isUnsendable(id);
  return {
    journal: stage.journal,
    acquirers: ['EDC', 'CUP'],
    isUnsendable,
    takesBatch: stage.terminal.room.takesBatch,
    decide: decidesAtOnce,
    ...more,
  };
}

async function unknownSale(messageId: string, fields = {}, scheme: 'visa' | 'unionpay' = 'visa') {
  const host = scheme === 'visa' ? stage.edc : stage.cup;
  host.onRequest = () => postsAndIsSilent;
  host.onReversal = () => ({ kind: 'unanswered' });
  const record = ended(await stage.paid(sale(messageId, fields), scheme));
  await stage.forwarder.close();
  return record;
}

const only = async (more: Partial<SetAsideParts> = {}): Promise<Waiting> => {
  const [one, ...others] = await waitingOnes(parts(more));
  assert.deepEqual(others, []);
  return one ?? assert.fail('nothing waits');
};
const written = (id: TerminalTransactionId, ...events: JournalEvent[]) => stage.journal.append(id, events);
const kinds = (id: TerminalTransactionId) => stage.journal.store.read(id).map(({ event }) => event.kind);

test('a reversal is told as the bank has to find it: time, kind, amount, trace, tries, and the host’s last answer', async () => {
  const record = await unknownSale('M-1');
  await written(record.id, { kind: 'reversalSent', attempt: 7 }, { kind: 'hostRefused', responseCode: '96' });
  assert.deepEqual(await only(), {
    id: record.id,
    acquirer: 'EDC',
    message: 'reversal',
    kind: 'SALE',
    method: 'VISA',
    lastDigits: '0119',
    amount: '30.00',
    currency: 'HKD',
    at: record.createdAt.toISOString(),
    trace: '000001',
    attempts: 7,
    responseCode: '96',
    unsendable: false,
  });
});

test('all acquirers are told of: the queue in its order, then what was rejected', async () => {
  const fields = { type: 'OFFLINE_SALE' } as const;
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'doNotHonour', responseCode: '05' });
  const rejected = ended(await stage.paid(sale('M-1', fields)));
  await stage.trace.seen('commit: adviceAnswered');
  stage.edc.onAdvice = () => ({ kind: 'refused', reason: 'hostTrouble', responseCode: '91' });
  const advice = ended(await stage.paid(sale('M-2', fields)));
  await stage.trace.seen('commit: hostRefused');
  const reversal = await unknownSale('M-3', {}, 'unionpay');
  const reported = (await waitingOnes(parts())).map(({ id, message, acquirer, responseCode, refusal }) => [
    id,
    message,
    acquirer,
    responseCode,
    refusal,
  ]);
  assert.deepEqual(reported, [
    [advice.id, 'advice', 'EDC', '91', undefined],
    [reversal.id, 'reversal', 'CUP', '', 'tooEarly'],
    [rejected.id, 'rejected', 'EDC', '05', undefined],
  ]);
});

describe('what is set aside', () => {
  test('is not what is only waiting for its host, until it was tried often enough', async () => {
    const { id } = await unknownSale('M-1');
    assert.equal((await only()).refusal, 'tooEarly');
    assert.deepEqual(await setAside(id, 'POSTED', parts()), { refused: 'tooEarly' });
    for (let attempt = 1; attempt < triesBefore; attempt++) await written(id, { kind: 'reversalSent', attempt });
    await written(id, { kind: 'reversalSent', attempt: triesBefore, isExtra: true });
    assert.deepEqual(await setAside(id, 'POSTED', parts()), { refused: 'tooEarly' });
    assert.ok(!kinds(id).includes('setAside'));
    await written(id, { kind: 'reversalSent', attempt: triesBefore });
    assert.ok('id' in (await setAside(id, 'POSTED', parts())));
    assert.equal(kinds(id).at(-1), 'setAside');
    assert.deepEqual(await waitingOnes(parts()), []);
    assert.deepEqual(await setAside(id, 'NOT_POSTED', parts()), { refused: 'notWaiting' });
  });

  test('may be what can’t be sent at all, or whose acquirer is not configured any more', async () => {
    const { id } = await unknownSale('M-1');
    assert.equal((await only({ isUnsendable: () => true })).refusal, undefined);
    assert.equal((await only({ acquirers: ['CUP'] })).unsendable, true);
    const { id: gone } = (await setAside(id, 'NOT_POSTED', parts({ acquirers: ['CUP'] }))) as Waiting;
    assert.equal(gone, id);
  });

  test('may be an advice that was rejected by an acquirer that is not configured any more', async () => {
    stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
    const { id } = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await stage.trace.seen('commit: adviceAnswered', 1);
    const gone = parts({ acquirers: ['CUP'] });
    assert.deepEqual(
      (await waitingOnes(gone)).map((each) => [each.id, each.message, each.acquirer]),
      [[id, 'rejected', 'EDC']],
    );
    assert.ok('id' in (await setAside(id, 'NOT_POSTED', gone)));
    assert.deepEqual(await waitingOnes(gone), []);
  });

  test('is one that waits, by its own name', async () => {
    const { id } = ended(await stage.paid());
    for (const other of [id, 'T-1', '']) {
      assert.deepEqual(await setAside(other, 'POSTED', parts()), { refused: 'notWaiting' });
    }
    assert.ok(!kinds(id).includes('setAside'));
  });

  test('leaves a rejected advice in no list, and in the batch only where the bank has it', async () => {
    stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'doNotHonour', responseCode: '05' });
    for (const [messageId, outcome, count] of [
      ['M-1', 'NOT_POSTED', 0],
      ['M-2', 'POSTED', 1],
    ] as const) {
      const { id } = ended(await stage.paid(sale(messageId, { type: 'OFFLINE_SALE' })));
      await stage.trace.seen('commit: adviceAnswered', Number(messageId.slice(2)));
      assert.equal((await only()).message, 'rejected');
      await setAside(id, outcome, parts());
      assert.deepEqual(await waitingOnes(parts()), []);
      assert.equal((await readOpenBatch(stage.journal, stage.edc.id)).batch.items.length, count);
    }
  });

  test('can be voided and refunded at the desk, as it is in the batch', async () => {
    const { id } = await unknownSale('M-1');
    await written(id, { kind: 'hostRefused', responseCode: '96' });
    await setAside(id, 'POSTED', parts());
    assert.equal((await readOpenBatch(stage.journal, stage.edc.id)).batch.items.length, 1);
    const story = await readStory(id, { journal: stage.journal, profiles: stage.profiles, rules });
    assert.deepEqual([story?.state, story?.acts.map(({ act }) => act)], ['UNKNOWN', ['VOID', 'REFUND']]);
  });
});

describe('what can’t be read', () => {
  const unknownKind = { kind: 'fromTheFuture' } as unknown as JournalEvent;

  test('is told as that, queued or not, and is settled by telephone like the others', async () => {
    const { id } = await unknownSale('M-1');
    await written(id, unknownKind);
    stage.edc.onRequest = () => postsAndIsSilent;
    const reported = await only();
    assert.deepEqual(
      [reported.id, reported.message, reported.acquirer, reported.amount, reported.unsendable, reported.refusal],
      [id, 'unreadable', 'EDC', '', true, undefined],
    );
    assert.ok(!Number.isNaN(Date.parse(reported.at)));
    await setAside(id, 'NOT_POSTED', parts());
    assert.deepEqual(stage.journal.store.pending(), []);
    assert.deepEqual(await waitingOnes(parts()), []);
    assert.deepEqual(await stage.journal.setAside('EDC' as AcquirerId), [id]);
  });

  test('of the open batch is listed although nothing waits for it: its batch can’t be closed before', async () => {
    const { id } = ended(await stage.paid());
    await written(id, unknownKind);
    assert.equal((await only()).message, 'unreadable');
    await setAside(id, 'POSTED', parts());
    assert.deepEqual(await waitingOnes(parts()), []);
    assert.equal(kinds(id).filter((kind) => kind === 'ended').length, 1, 'what it was told stays what it was told');
  });

  test('and was never concluded is concluded by that: no start comes back to it', async () => {
    stage.edc.onRequest = () => new Promise(() => undefined);
    void stage.paid();
    await stage.trace.seen('EDC: sale');
    const [id = assert.fail()] = stage.journal.store.unfinished();
    await written(id, unknownKind);
    await setAside(id, 'NOT_POSTED', parts());
    assert.deepEqual(stage.journal.store.unfinished(), []);
    assert.equal(readableRecord(id, stage.journal.store.read(id)), undefined);
  });
});

test('the page names the rule as it is', async () => {
  type Words = Readonly<Record<'menu', Readonly<Record<string, string>>>>;
  for (const file of ['words-en', 'words-zh-hant']) {
    const { words } = await pageModule<{ words: Words }>(file);
    assert.match(words.menu['tooEarly'] ?? '', new RegExp(`\\b${triesBefore}\\b|${triesBefore} `));
  }
});

describe('a sale that its host may have approved for a part', () => {
  const approving = () => {
    const profiles = stage.profiles.map((each) => ({ ...each, approvesParts: true as const }));
    return parts({ profiles });
  };
  const amounts = (id: TerminalTransactionId) => {
    const { amount, requested } = readableRecord(id, stage.journal.store.read(id)) ?? assert.fail();
    return [amount.minor, requested?.minor];
  };

  async function waitingSale(fields = {}) {
    const { id } = await unknownSale('M-1', fields);
    await written(id, { kind: 'hostRefused', responseCode: '96' });
    return id;
  }

  test('counts as the amount that the bank has', async () => {
    const id = await waitingSale();
    assert.equal((await waitingOnes(approving()))[0]?.mayBePart, true);
    assert.ok('id' in (await setAside(id, 'POSTED', approving(), '12.50')));
    assert.deepEqual(amounts(id), [1250n, 3000n]);
    const { batch } = await readOpenBatch(stage.journal, stage.edc.id);
    assert.deepEqual(
      batch.items.map(({ record }) => record.amount.minor),
      [1250n],
    );
  });

  test('counts as a whole if the bank has the whole amount', async () => {
    const id = await waitingSale();
    assert.ok('id' in (await setAside(id, 'POSTED', approving(), '30.00')));
    assert.deepEqual(amounts(id), [3000n, undefined]);
  });

  test('takes no amount that is not a part of it, and then stays in the list', async () => {
    const id = await waitingSale();
    for (const amount of ['30.01', '0.00', '-1.00', '1.001', 'all', ''])
      assert.deepEqual(await setAside(id, 'POSTED', approving(), amount), { refused: 'badAmount' }, amount);
    assert.deepEqual(await setAside(id, 'NOT_POSTED', approving(), '12.50'), { refused: 'badAmount' });
    assert.deepEqual(await setAside(id, 'POSTED', parts(), '12.50'), { refused: 'badAmount' });
    assert.equal((await waitingOnes(approving())).length, 1);
    assert.deepEqual(amounts(id), [3000n, undefined]);
  });

  test('is offered for no other kind', async () => {
    await waitingSale({ type: 'AUTH' });
    assert.equal((await waitingOnes(approving()))[0]?.mayBePart, undefined);
  });
});
