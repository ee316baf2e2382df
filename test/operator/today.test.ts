import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';
import { openMenu } from './stage-menu.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

type Listed = Readonly<Record<'id' | 'state' | 'amount' | 'lastDigits' | 'posId' | 'method' | 'at', string>>;

async function list(search: object = {}) {
  const { menu, session } = await openMenu(stage);
  const { status, body } = await menu.handle({ kind: 'today', session, ...search });
  assert.equal(status, 200);
  return { transactions: body['transactions'] as readonly Listed[], next: body['next'] as number | undefined };
}

async function paid(messageId: string, fields: object = {}): Promise<TransactionRecord> {
  const record = ended(await stage.paid(sale(messageId, fields)));
  await stage.clock.advance(60_000);
  return record;
}

const ids = ({ transactions }: { transactions: readonly Listed[] }) => transactions.map(({ id }) => id);

test('the day’s transactions are listed, the latest first, with how each stands now', async () => {
  const first = await paid('M-1');
  const second = await paid('M-2', { amount: { minor: 1250n, currency: 'HKD' }, posId: 'POS-2' });
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-3', first)));
  const { transactions } = await list();
  assert.deepEqual(
    transactions.map(({ id, state, amount, lastDigits, posId, method }) => [
      id,
      state,
      amount,
      lastDigits,
      posId,
      method,
    ]),
    [
      [voided.id, 'APPROVED', '30.00', '0119', 'POS-1', 'VISA'],
      [second.id, 'APPROVED', '12.50', '0119', 'POS-2', 'VISA'],
      [first.id, 'VOIDED', '30.00', '0119', 'POS-1', 'VISA'],
    ],
  );
});

test('what was refunded in part is listed as that, with how much', async () => {
  const first = await paid('M-1');
  ended(await stage.paid(about('REFUND', 'M-2', first, { amount: { minor: 100n, currency: 'HKD' } })));
  const { transactions } = await list();
  const listed = transactions.find(({ id }) => id === first.id);
  assert.deepEqual(
    [listed?.state, listed?.amount, (listed as { refunded?: string } | undefined)?.refunded],
    ['PARTIALLY_REFUNDED', '30.00', '1.00'],
  );
});

test('yesterday is not today', async () => {
  await paid('M-1');
  await stage.clock.advance(24 * 3_600_000);
  const today = await paid('M-2');
  assert.deepEqual(ids(await list()), [today.id]);
});

test('a hold is found on any day, also after the settlement of its batch, until it is completed or released', async () => {
  const held = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
  const completed = ended(await stage.paid(sale('M-2', { type: 'AUTH' }), 'unionpay'));
  const released = ended(await stage.paid(sale('M-3', { type: 'AUTH' }), 'unionpay'));
  await paid('M-4');
  ended(await stage.terminal.pay(about('AUTH_COMP', 'M-5', completed)));
  ended(await stage.terminal.pay(about('VOID', 'M-6', released)));
  await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: '1' });
  await stage.clock.advance(10 * 24 * 3_600_000);
  assert.deepEqual(ids(await list()), []);
  assert.deepEqual(ids(await list({ holds: true })), [held.id]);
});

describe('a search', () => {
  test('goes by amount, by the last digits, by time and by POS', async () => {
    const first = await paid('M-1');
    const second = await paid('M-2', { amount: { minor: 1250n, currency: 'HKD' }, posId: 'POS-2' });
    const since = new Date(first.createdAt.getTime() + 1_000).toISOString();
    for (const [search, found] of [
      [{ amount: '30' }, [first.id]],
      [{ amount: '30.00' }, [first.id]],
      [{ amount: '3' }, []],
      [{ amount: '12.5' }, [second.id]],
      [{ amount: '12.501' }, []],
      [{ lastFour: '0119' }, [second.id, first.id]],
      [{ lastFour: '19' }, [second.id, first.id]],
      [{ lastFour: '1190' }, []],
      [{ lastFour: '011' }, []],
      [{ posId: 'POS-2' }, [second.id]],
      [{ posId: 'POS' }, []],
      [{ since }, [second.id]],
      [{ until: since }, [first.id]],
      [{ since, lastFour: '0119', amount: '12.50', posId: 'POS-2' }, [second.id]],
    ] as const) {
      assert.deepEqual(ids(await list(search)), found, JSON.stringify(search));
    }
  });

  for (const search of [{ lastFour: '' }, { lastFour: '12345' }, { lastFour: 'x' }, { since: 'noon' }, { after: -1 }]) {
    test(`${JSON.stringify(search)} is malformed`, async () => {
      const { menu, session } = await openMenu(stage);
      assert.equal((await menu.handle({ kind: 'today', session, ...search })).status, 400);
    });
  }
});

test('a long day comes in pages of twenty, each transaction once', async () => {
  const made: string[] = [];
  for (let count = 1; count <= 23; count++) made.unshift((await paid(`M-${count}`)).id);
  const first = await list();
  assert.equal(first.transactions.length, 20);
  const rest = await list({ after: first.next });
  assert.deepEqual([...ids(first), ...ids(rest)], made);
  assert.equal(rest.next, undefined);
});

test('reading ends as soon as a payment begins', async () => {
  for (let count = 1; count <= 60; count++) await paid(`M-${count}`);
  let looks = 0;
  const { menu, session } = await openMenu(stage, { isIdle: () => (looks += 1) < 4 });
  const answer = await menu.handle({ kind: 'today', session, lastFour: '9999' });
  assert.deepEqual(answer, { status: 409, body: { reason: 'busy' } });
});
