import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { readStory, type Story } from '../../src/operator/story.ts';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { declines } from '../payment/terminal/scripted-host.ts';
import { about, ended, rules, sale, Stage } from '../payment/terminal/stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

async function story({ id }: Pick<TransactionRecord, 'id'>): Promise<Story> {
  const { journal, profiles } = stage;
  return (await readStory(id, { journal, profiles, rules })) ?? assert.fail('no story');
}

const acts = async (record: TransactionRecord) => (await story(record)).acts.map(({ act, kind }) => `${act} ${kind}`);
const later = (type: Parameters<typeof about>[0], messageId: string, record: TransactionRecord, fields = {}) =>
  stage.terminal.pay(about(type, messageId, record, fields));

test('a sale is told with its events, its numbers at the bank, and no more of its card than four digits', async () => {
  const record = ended(await stage.paid(sale('M-1')));
  const reported = await story(record);
  assert.deepEqual(
    [reported.state, reported.total, reported.acquirer, reported.trace, reported.posId, reported.lastDigits],
    ['APPROVED', '30.00', 'EDC', '000001', 'POS-1', '0119'],
  );
  assert.deepEqual(
    reported.lines.map(({ said }) => said),
    ['accepted', 'intent', 'answered-approved', 'ended-approved'],
  );
  assert.deepEqual(reported.lines[0]?.with, { pos: 'POS-1', amount: 'HKD 30.00' });
  assert.doesNotMatch(JSON.stringify(reported), /\d{6,}\*+\d{4}|\*{3}/);
});

test('what did not succeed has its reason in words of both languages', async () => {
  stage.edc.onRequest = () => declines('51');
  const { why, state, acts: none } = await story(ended(await stage.paid(sale('M-1'))));
  assert.deepEqual([state, none], ['DECLINED', []]);
  assert.match(why?.['en'] ?? '', /not enough money/);
  assert.match(why?.['zh-Hant'] ?? '', /餘額不足/);
});

describe('what can be done', () => {
  test('with a sale: void, tip and refund; with a voided one: nothing', async () => {
    const record = ended(await stage.paid(sale('M-1')));
    assert.deepEqual(await acts(record), ['VOID VOID_SALE', 'TIP_ADJUST TIP_ADJUST', 'REFUND REFUND']);
    await later('VOID', 'M-2', record);
    const { state, acts: none, later: after } = await story(record);
    assert.deepEqual([state, none, after.map(({ kind }) => kind)], ['VOIDED', [], ['VOID_SALE']]);
    assert.equal((await story(ended(await later('VOID', 'M-2', record)))).original?.id, record.id);
  });

  test('with a sale whose tip was adjusted: the whole of it, and no second tip', async () => {
    const record = ended(await stage.paid(sale('M-1')));
    const [, tip] = (await story(record)).acts;
    assert.deepEqual(tip, { act: 'TIP_ADJUST', kind: 'TIP_ADJUST', amount: '30.00', most: '6.00' });
    await later('TIP_ADJUST', 'M-2', record, { amount: { minor: 3500n, currency: 'HKD' } });
    const { acts: left, tip: reported, total, final } = await story(record);
    assert.deepEqual([reported, total, final], ['5.00', '35.00', '35.00']);
    assert.deepEqual(
      left.map(({ act, amount }) => [act, amount]),
      [
        ['VOID', '35.00'],
        ['REFUND', '35.00'],
      ],
    );
  });

  test('with a sale that was refunded in part: the rest', async () => {
    const record = ended(await stage.paid(sale('M-1')));
    const fields = { amount: { minor: 1000n, currency: 'HKD' } } as const;
    ended(await stage.paid(about('REFUND', 'M-2', record, fields)));
    const { acts: left, state, amount, refunded, final } = await story(record);
    assert.deepEqual(
      left.map(({ act, amount: most }) => [act, most]),
      [['REFUND', '20.00']],
    );
    assert.deepEqual([state, amount, refunded, final], ['PARTIALLY_REFUNDED', '30.00', '10.00', undefined]);
  });

  test('with an authorization: completion and release; with a completed one: nothing', async () => {
    const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
    assert.deepEqual(await acts(auth), ['VOID VOID_AUTH', 'AUTH_COMP AUTH_COMP']);
    ended(await later('AUTH_COMP', 'M-2', auth));
    const { state, final } = await story(auth);
    assert.deepEqual([state, final, await acts(auth)], ['COMPLETED', '30.00', []]);
  });

  test('with an authorization of a card that has no completion of its own: an offline sale', async () => {
    const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' })));
    assert.ok((await acts(auth)).includes('OFFLINE_SALE OFFLINE_SALE'));
  });

  test('after the settlement: a refund alone', async () => {
    const record = ended(await stage.paid(sale('M-1')));
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S' });
    assert.deepEqual(await acts(record), ['REFUND REFUND']);
  });
});

test('an unknown transaction has no story', async () => {
  const { journal, profiles } = stage;
  assert.equal(await readStory('nothing' as Story['id'], { journal, profiles, rules }), undefined);
});
