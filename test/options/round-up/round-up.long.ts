import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, test } from 'node:test';
import { eventually, type Json, Stage } from '../../e2e/stage.ts';

const here = import.meta.dirname;
const options = { roundUp: { charity: 'Trees', toMinor: 100 } };

let stage: Stage;
before(async () => {
  stage = await Stage.open({ program: path.join(here, 'poid.ts'), configuration: { options } });
});
after(() => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', { force: true });
});

const choose = (choice: string) => stage.act('chooseOption', { kind: 'option', choice });
const booked = async () => (await stage.posted()).map(({ amount }) => Number(amount));

/** Sells 30.40 HKD by a card that is tapped, rounded up to 31. */
async function roundedUp(): Promise<{ readonly request: Json; readonly body: Json }> {
  const { request, answer } = stage.begun({ preferredEntryMode: 'CARD', requestAmount: 30.4 });
  await stage.tap('visa');
  await choose('yes');
  await stage.view(({ scene, hint }) => scene === 'presentCard' && hint === 'presentAgain');
  await stage.tap('visa');
  return { request, body: (await answer).body };
}

test('it is added by its folder, its line in the registry and its settings, and src knows nothing of it', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  assert.ok(readdirSync(here).length <= 8);
  for (const folder of ['src', 'drivers', 'hw-sim']) {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => /\.(?:ts|js|html|css|json)$/.test(name));
    assert.ok(sources.length > 20, folder);
    const naming = sources.filter((name) =>
      /round-?up|charity/i.test(readFileSync(path.join(root, folder, name), 'utf8')),
    );
    assert.deepEqual(naming, []);
  }
});

test('sells: reader, cryptogram, host, POS, report and paper have the amount that was rounded up', async () => {
  const { request, body } = await roundedUp();
  assert.equal(body.responseResult, 'SUCCESS');
  const { totalAmount, options: answered } = body.transactionResult;
  assert.deepEqual([totalAmount, answered], [31, [{ name: 'roundUp', amount: 0.6, charity: 'Trees' }]]);
  assert.deepEqual(await booked(), [31]);
  const enquired = await stage.enquiry(request);
  assert.deepEqual(enquired.body.transactionResult.options, answered);
  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('cut]'),
  );
  for (const line of [/^DONATION +HKD 0\.60$/m, /HKD 31\.00/]) assert.match(paper, line);
  const report: Json = await (await fetch(`${stage.apiUrl}/sp/v1/report?format=csv`)).json();
  assert.deepEqual(report.options, [{ name: 'roundUp', currency: 'HKD', count: 1, amount: 0.6 }]);
  assert.match(report.csv, /^options,roundUp,HKD,,,,,,1,0\.60/m);
  const again = await stage.payment(request);
  assert.equal(again.body.terminalTransactionId, body.terminalTransactionId);
  assert.equal((await booked()).length, 1);
});

test('a stripe is swiped once', async () => {
  const { answer } = stage.begun({ preferredEntryMode: 'CARD', requestAmount: 30.4 });
  await stage.fault('reader', { chipFails: true });
  await stage.insert('visa');
  await stage.view(({ hint }) => hint === 'swipeCard');
  await stage.swipe('visa');
  await choose('yes');
  const { body } = await answer;
  assert.deepEqual([body.responseResult, body.transactionResult.totalAmount], ['SUCCESS', 31]);
});

test('a contact chip is inserted again, and both sides agree about the amount', async () => {
  const { answer } = stage.begun({ preferredEntryMode: 'CARD', requestAmount: 30.4 });
  await stage.insert('visa');
  await choose('yes');
  await stage.view(({ scene, hint }) => scene === 'presentCard' && hint === 'presentAgain');
  await stage.sim('POST', '/api/reader/remove', {});
  await stage.insert('visa');
  const { body } = await answer;
  assert.deepEqual(
    [body.responseResult, body.transactionResult.totalAmount, body.transactionResult.entryMode],
    ['SUCCESS', 31, 'CHIP'],
  );
});

test('is refunded and voided with what was added', async () => {
  const sums = await booked();
  const { body } = await roundedUp();
  const original = { originalTerminalTransactionId: body.terminalTransactionId };
  const voided = await stage.payment(stage.saleRequest({ transactionType: 'VOID', requestAmount: 31, ...original }));
  assert.equal(voided.body.responseResult, 'SUCCESS');
  assert.deepEqual(await booked(), sums);
  const sold = await roundedUp();
  const { terminalTransactionId: originalTerminalTransactionId } = sold.body;
  const fields = { transactionType: 'REFUND', requestAmount: 31, originalTerminalTransactionId };
  const refund = stage.begun(fields);
  await stage.tap('visa');
  assert.equal((await refund.answer).body.responseResult, 'SUCCESS');
});

test('killed at the host: the whole amount is taken back', async () => {
  const before = await booked();
  await stage.sim('POST', '/api/host/EDC', { mode: 'silent' });
  const { request, answer } = stage.begun({ preferredEntryMode: 'CARD', requestAmount: 30.4 });
  answer.catch(() => undefined);
  await stage.tap('visa');
  await choose('yes');
  await stage.view(({ scene, hint }) => scene === 'presentCard' && hint === 'presentAgain');
  await stage.tap('visa');
  const sums = await eventually(booked, ({ length }) => length > before.length);
  assert.deepEqual(sums, [...before, 31]);
  await stage.stopDaemon('SIGKILL');
  await stage.sim('POST', '/api/host/EDC', { mode: 'up' });
  await stage.startDaemon();
  const { body } = await eventually(
    () => stage.enquiry(request),
    ({ body: answer }) => answer.financialImpact === 'REVERSED',
  );
  assert.equal(body.transactionResult.totalAmount, 31);
  assert.deepEqual(await booked(), before);
});
