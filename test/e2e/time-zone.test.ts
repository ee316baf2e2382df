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

test('the operator’s pages show times of that zone, whatever the browser’s is', async () => {
  const style = (await (await fetch(`${stage.screenUrl}/style.json`)).json()) as { timeZone: string };
  assert.equal(style.timeZone, timeZone);
});

test('TZ is empty or names no zone: the terminal sells and prints in UTC, and says so', async (t) => {
  for (const TZ of ['', 'Foo/Bar']) {
    const own = await Stage.open({ environment: { TZ } });
    t.after(() => own.close());
    const { body: sale } = await own.paid('visa');
    assert.equal(sale.responseResult, 'SUCCESS');
    const asked = { terminalTransactionId: sale.terminalTransactionId, output: 'TEXT' };
    const { body: receipt } = await own.post('receipt', asked);
    const [date = '', time = ''] = sale.transactionResult.createTime.slice(0, 19).split('T');
    assert.ok(receipt.text.includes(date) && receipt.text.includes(time), receipt.text);
    const { clock } = await own.status();
    assert.equal(clock.timeZone, 'UTC');
    assert.match(clock.timeZoneFault, /the environment variable TZ names no time zone/);
    assert.match(own.log, /"level":40.*the environment variable TZ names no time zone/);
  }
});
