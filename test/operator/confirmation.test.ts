import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';
import { openMenu } from './stage-menu.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const confirmation = 'ab'.repeat(16);

/** A desk whose payments go to the terminal. */
async function voiding(record: TransactionRecord) {
  const pay: Parameters<typeof openMenu>[1] = {
    pay: async ({ posId = '', messageId = '', requestAmount }) => {
      const answer = await stage.terminal.pay(
        about('VOID', String(messageId), record, {
          posId: String(posId),
          digest: String(requestAmount),
        }),
      );
      return { status: 200, body: { kind: answer.kind } };
    },
  };
  const { menu, session } = await openMenu(stage, pay);
  const asked = { kind: 'act', session, confirmation, act: 'VOID', transaction: record.id, currency: 'HKD' };
  return (fields: object = {}) => menu.handle({ ...asked, amount: '30.00', ...fields });
}

test('a second press, a press after a lost answer, and one after a restart void once, and get the first answer', async () => {
  const record = ended(await stage.paid(sale('M-1')));
  const press = await voiding(record);
  const [first, second] = await Promise.all([press(), press()]);
  assert.deepEqual([first.body, second.body], [{ kind: 'ended' }, { kind: 'ended' }]);
  assert.deepEqual((await press()).body, { kind: 'ended' });
  await stage.restart();
  const again = await voiding(record);
  assert.deepEqual((await again()).body, { kind: 'ended' });
  assert.equal(stage.edc.requests.length, 2, 'the sale, and one void');
});

test('another press of Yes under the same confirmation is refused', async () => {
  const record = ended(await stage.paid(sale('M-1')));
  const press = await voiding(record);
  await press();
  assert.deepEqual((await press({ amount: '29.00' })).body, { kind: 'otherRequest' });
});
