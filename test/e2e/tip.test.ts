import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { byScannedCode } from './customer.ts';
import { ServerEvents } from './server-events.ts';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { timeouts: { tipMs: 20_000 } } });
});
after(() => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

const byCard = { askTip: true, preferredEntryMode: 'CARD' };
const choose = (amount: string) => stage.act('chooseTip', { kind: 'tip', amount });

/** What the POS is told of amounts. */
function sums({ transactionResult: { totalAmount, tipAmount } }: Json): unknown {
  return { totalAmount, tipAmount };
}

/** What the host has in its books. */
async function booked(id: 'EDC' | 'QR' = 'EDC'): Promise<unknown[]> {
  return (await stage.posted(id)).map(({ amount, tip }) => [Number(amount), Number(tip ?? 0)]);
}

test('a percentage: screen, reader, host, POS, list, report and receipt have one amount', async () => {
  const { request, answer } = stage.begun({ ...byCard, requestAmount: 123.45 });
  const asked = await stage.view(({ scene }) => scene === 'chooseTip');
  assert.deepEqual(
    [asked.amount, asked.tips[1], asked.ownTipMost],
    ['123.45', { tip: '18.52', total: '141.97', percent: 15 }, '123.45'],
  );
  assert.equal((await stage.status()).step, 'choosingTip');
  await choose('18.52');
  const armed = await stage.view(({ scene }) => scene === 'presentCard');
  assert.deepEqual([armed.amount, armed.tip], ['141.97', '18.52']);
  await stage.tap('visa');
  const { body } = await answer;
  assert.equal(body.responseResult, 'SUCCESS');
  assert.deepEqual(sums(body), { totalAmount: 141.97, tipAmount: 18.52 });
  assert.deepEqual(await booked(), [[141.97, 18.52]]);
  const enquired = await stage.enquiry(request);
  assert.deepEqual(sums(enquired.body), { totalAmount: 141.97, tipAmount: 18.52 });
  const list: Json = await (await fetch(`${stage.apiUrl}/sp/v1/transactions?last=true`)).json();
  assert.deepEqual(sums(list.transactions[0]), { totalAmount: 141.97, tipAmount: 18.52 });
  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('cut]'),
  );
  for (const line of ['18.52', 'HKD 141.97']) assert.ok(paper.includes(line), `${line}\n${paper}`);

  const report: Json = await (await fetch(`${stage.apiUrl}/sp/v1/report`)).json();
  const [row] = report.paymentMethod;
  assert.deepEqual([row.name, row.salesAmount, row.tipAmount], ['VISA', 141.97, 18.52]);

  const again = await stage.payment(request);
  assert.equal(again.body.terminalTransactionId, body.terminalTransactionId);
  assert.deepEqual(sums(again.body), { totalAmount: 141.97, tipAmount: 18.52 });
  assert.equal((await booked()).length, 1, 'the repeat neither asks nor charges');
  const other = await stage.payment({ ...request, askTip: false });
  assert.deepEqual([other.status, other.body.reason], [409, 'messageIdReused']);

  const { posId, messageId } = stage.saleRequest();
  const original = { originalTerminalTransactionId: body.terminalTransactionId };
  const voided = await stage.post('payment', { posId, messageId, transactionType: 'VOID_SALE', ...original });
  assert.deepEqual([voided.body.responseResult, voided.body.transactionResult.totalAmount], ['SUCCESS', 141.97]);
  assert.deepEqual(await booked(), [], 'a void without an amount is of the total');
});

test('an amount of the customer, at a wallet: its host has the total', async () => {
  const way = byScannedCode('ALIPAY');
  const { answer } = stage.begun({ ...way.request, askTip: true });
  await stage.act('chooseTip', { kind: 'ownTip', amount: '7' });
  const offered = await stage.view(({ ownTip }) => ownTip !== undefined);
  assert.deepEqual(offered.ownTip, { tip: '7.00', total: '37.00' });
  await choose('7.00');
  await way.present(stage);
  const { body } = await answer;
  assert.deepEqual(sums(body), { totalAmount: 37, tipAmount: 7 });
  const ledger: Json[] = await stage.ledger('QR');
  assert.deepEqual(
    ledger.map(({ amount, amountMinor }) => Number(amountMinor ?? amount)),
    [3_700],
  );
});

test('no tip: the amount that the POS asked for', async () => {
  const { answer } = stage.begun(byCard);
  await choose('0.00');
  await stage.tap('visa');
  assert.deepEqual(sums((await answer).body), { totalAmount: 30, tipAmount: 0 });
  assert.deepEqual(await booked(), [[30, 0]]);
});

test('a page that names a tip of its own is not heard', async () => {
  const { request, answer } = stage.begun(byCard);
  for (const amount of ['0.01', '3.01', '29.99', '300.00']) await choose(amount);
  assert.equal((await stage.status()).step, 'choosingTip');
  await stage.cancel(request);
  assert.deepEqual(sums((await answer).body), { totalAmount: 30, tipAmount: 0 });
});

for (const by of ['POS', 'Merchant'] as const) {
  test(`cancelled by the ${by} while the customer chooses`, async () => {
    const { request, answer } = stage.begun(byCard);
    await stage.view(({ scene }) => scene === 'chooseTip');
    if (by === 'POS') await stage.cancel(request);
    else await stage.act('chooseTip', { kind: 'cancel' });
    const { body } = await answer;
    assert.deepEqual(
      [body.responseResult, body.financialImpact, body.reason],
      ['TRANSACTION_ALREADY_CANCEL', 'NONE', `cancelledBy${by === 'POS' ? 'Pos' : by}`],
    );
    assert.deepEqual(await booked(), []);
  });
}

test('killed while the customer chooses: nothing was charged; killed at the host: the total is reversed', async () => {
  const { request } = stage.begun(byCard);
  await stage.view(({ scene }) => scene === 'chooseTip');
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const { body } = await stage.enquiry(request);
  assert.deepEqual(
    [body.financialImpact, body.reason, sums(body)],
    ['NONE', 'restartedBeforeSending', { totalAmount: 30, tipAmount: 0 }],
  );
  assert.equal((await stage.payment(request)).body.reason, 'restartedBeforeSending');

  await stage.host('EDC', { mode: 'silent', reversals: true });
  const second = stage.begun(byCard);
  await choose('4.50');
  await stage.tap('visa');
  await eventually(
    () => stage.ledger(),
    (ledger) => ledger.length === 1,
  );
  await stage.stopDaemon('SIGKILL');
  await stage.host('EDC', { mode: 'up' });
  await stage.startDaemon();
  const reversed = await eventually(
    () => stage.enquiry(second.request),
    (answer) => answer.body.financialImpact === 'REVERSED',
  );
  assert.deepEqual(sums(reversed.body), { totalAmount: 34.5, tipAmount: 4.5 });
  assert.deepEqual(await booked(), []);
});

test('the event stream tells the question', async () => {
  const events = await ServerEvents.open(`${stage.apiUrl}/sp/v1/events`);
  const { request, answer } = stage.begun(byCard);
  let answered: Json;
  do {
    const event = (await events.next()) ?? assert.fail('the stream ended');
    answered = event.data === '' ? {} : JSON.parse(event.data);
  } while (answered.step !== 'choosingTip');
  assert.deepEqual([answered.state, answered.messageId], ['collecting', request.messageId]);
  events.close();
  await stage.cancel(request);
  await answer;
});
