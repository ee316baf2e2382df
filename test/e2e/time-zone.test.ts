import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Stage } from './stage.ts';

// 8:45 ahead: no machine has it by chance.
const timeZone = 'Australia/Eucla';
const aheadMs = (8 * 60 + 45) * 60_000;
let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { timeZone } });
});
after(() => stage.close());

test('the shop’s time zone is that of receipts and status, whatever the machine’s is', async () => {
  const { body: sale } = await stage.paid('visa');
  assert.equal(sale.responseResult, 'SUCCESS');
  const { body: receipt } = await stage.post('receipt', {
    terminalTransactionId: sale.terminalTransactionId,
    output: 'TEXT',
  });
  const there = new Date(new Date(sale.transactionResult.createTime).getTime() + aheadMs).toISOString();
  const [date = '', time = ''] = there.slice(0, 19).split('T');
  assert.ok(receipt.text.includes(date) && receipt.text.includes(time), receipt.text);
  assert.equal((await stage.status()).clock.timeZone, timeZone);
});
