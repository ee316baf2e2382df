import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drained } from './books.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** An invented bank: ASCII, a length of four ASCII digits, no TPDU, a hexadecimal bitmap, and a private field 48. */
const dialect = fileURLToPath(new URL('../../fixtures/dialects/second-bank.json', import.meta.url));

let stage: Stage;
before(async () => {
  stage = await Stage.open({ flags: ['--dialect', dialect] });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
});

function refer(transactionType: string, original: Json, requestAmount: number): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId } = original;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId }));
}

const lines = async () => (await stage.ledger('BANK')).map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);

test('sells, voids, refunds, adjusts a tip, and settles', async () => {
  const sale = (await stage.paid('visa', { requestAmount: 100, forceAcquirer: 'BANK' })).body;
  assert.equal(sale.responseResult, 'SUCCESS', JSON.stringify(sale));
  assert.equal(sale.transactionResult.acquirerId, 'BANK');
  assert.match(sale.transactionResult.approvalCode, /^[\dA-Z]{6}$/);
  assert.equal((await refer('TIP_ADJUST', sale, 110)).body.responseResult, 'SUCCESS');
  const voided = (await stage.paid('mastercard', { requestAmount: 7 })).body;
  assert.equal((await refer('VOID', voided, 7)).body.responseResult, 'SUCCESS');
  const refunded = (await stage.paid('mastercard', { transactionType: 'REFUND', requestAmount: 12.34 })).body;
  assert.equal(refunded.responseResult, 'SUCCESS');
  const taken = (await stage.paid('mastercard', { transactionType: 'REFUND', requestAmount: 3 })).body;
  assert.equal((await refer('VOID_REFUND', taken, 3)).body.responseResult, 'SUCCESS');
  await drained(stage);
  assert.deepEqual(await lines(), [
    'SALE 110.00 POSTED',
    'SALE 7.00 VOIDED',
    'REFUND 12.34 POSTED',
    'REFUND 3.00 VOIDED',
  ]);

  const { body } = await stage.settle();
  const bank = body.settlements.find((each: Json) => each.acquirer === 'BANK');
  assert.equal(bank.result, 'BALANCED', JSON.stringify(body));
  const [theirs] = (await stage.sim('GET', '/api/host/BANK/settlements')).body;
  assert.deepEqual(theirs.terminal, theirs.host);
});

test('a sale without an answer is reversed, and the reversal repeated until it is answered', async () => {
  await stage.host('BANK', { mode: 'silent', reversals: true });
  const lost = (await stage.paid('visa', { requestAmount: 5 })).body;
  assert.equal(lost.financialImpact, 'REVERSAL_PENDING', JSON.stringify(lost));
  await stage.host('BANK', { mode: 'up' });
  await drained(stage);
  assert.deepEqual((await lines()).at(-1), 'SALE 5.00 REVERSED');
});

test('a late approval is reversed', async () => {
  await stage.host('BANK', { mode: 'late', delayMs: 1_200 });
  const late = (await stage.paid('visa', { requestAmount: 6 })).body;
  assert.notEqual(late.responseResult, 'SUCCESS');
  await stage.host('BANK', { mode: 'up' });
  await drained(stage);
  assert.deepEqual((await lines()).at(-1), 'SALE 6.00 REVERSED');
});

test('a decline has the reason of its code, and an offline sale is sent as an advice', async () => {
  await stage.host('BANK', { mode: 'up', decline: '61' });
  const declined = (await stage.paid('visa', { requestAmount: 8 })).body;
  assert.equal(declined.responseResult, 'DECLINED');
  assert.equal(declined.reason, 'amountLimitExceeded');
  await stage.host('BANK', { mode: 'up' });
  const offline = (await stage.paid('visa', { transactionType: 'OFFLINE_SALE', requestAmount: 9 })).body;
  assert.equal(offline.responseResult, 'SUCCESS', JSON.stringify(offline));
  await drained(stage);
  assert.deepEqual((await lines()).at(-1), 'OFFLINE_SALE 9.00 POSTED');
});

test('books that differ are uploaded', async () => {
  await stage.settle();
  await stage.paid('visa', { requestAmount: 21 });
  await drained(stage);
  await stage.host('BANK', { mode: 'up', mismatch: true });
  const { body } = await stage.settle();
  const bank = body.settlements.find((each: Json) => each.acquirer === 'BANK');
  assert.equal(bank.result, 'UPLOADED', JSON.stringify(body));
});

test('what it does not offer is refused', async () => {
  const { status, body } = await stage.payment(stage.saleRequest({ transactionType: 'AUTH', forceAcquirer: 'BANK' }));
  assert.equal(status, 422, JSON.stringify(body));
});

test('the view of the wires reads its frames by the dialect, without what is secret', async () => {
  const shown = async () => (await stage.sim('GET', '/api/wires?line=BANK')).body;
  const frames = await eventually(shown, (all: Json) =>
    all.frames.some(({ summary }: Json) => summary.startsWith('0210')),
  );
  const request = frames.frames.find(({ summary }: Json) => summary.startsWith('0200'));
  const { fields, bytes } = (await stage.sim('GET', `/api/wires/${request.id}`)).body;
  const byName = new Map(fields.map((each: Json) => [each.name, each]));
  assert.equal((byName.get('MTI') as Json).value, '0200');
  assert.equal((byName.get('4 amount') as Json).value, '000000010000');
  assert.equal((byName.get('48 encrypted card data') as Json).secret, true);
  assert.match(bytes, /\*\*/);
});

test('an edited file changes neither a queued reversal nor the open batch', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-dialect-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = path.join(dir, 'bank.json');
  const text = await readFile(dialect, 'utf8');
  await writeFile(file, text);
  const shop = await Stage.open({ flags: ['--dialect', file] });
  t.after(() => shop.close());
  assert.equal((await shop.paid('visa', { requestAmount: 11 })).body.responseResult, 'SUCCESS');
  await shop.host('BANK', { mode: 'silent', reversals: true });
  const lost = (await shop.paid('visa', { requestAmount: 5 })).body;
  assert.equal(lost.financialImpact, 'REVERSAL_PENDING');
  await shop.stopDaemon('SIGKILL');
  // The host has read the former file: it reports messages that differ from it.
  await writeFile(file, text.replace('"constant": "5812"', '"constant": "5999"').replace('"0420"', '"0400"'));
  await shop.startDaemon();
  const entry = async () => (await shop.status()).acquirers.find((each: Json) => each.id === 'BANK');
  assert.deepEqual((await entry()).held.changed, ['dialect']);
  await shop.host('BANK', { mode: 'up' });
  await drained(shop);
  assert.equal((await shop.enquiry(lost)).body.financialImpact, 'REVERSED');
  const { body } = await shop.settle({ acquirer: 'BANK' });
  assert.equal(body.settlements[0].result, 'BALANCED', JSON.stringify(body));
  assert.deepEqual(await shop.unexpected(), []);
  await eventually(entry, (each: Json) => each.held === undefined);
  // The terminal now uses the new file.
  await shop.paid('visa', { requestAmount: 12 });
  assert.match(JSON.stringify(await shop.unexpected()), /field 18: another constant/);
});

test('a terminal that the bank does not sign on takes no card of that bank, and says why', async () => {
  await stage.host('BANK', { signOn: 'refused' });
  // A signed-on connection stays in use. The next one begins with another sign-on.
  await stage.host('BANK', { mode: 'down' });
  await stage.host('BANK', { mode: 'up', signOn: 'refused' });
  const refused = (await stage.paid('visa', { requestAmount: 11 })).body;
  assert.deepEqual(
    [refused.responseResult, refused.reason, refused.financialImpact],
    ['ERROR', 'notSignedOn', 'NONE'],
    JSON.stringify(refused),
  );
  const reported = async () => (await stage.status()).acquirers.find(({ id }: Json) => id === 'BANK');
  const { signedOn, lineFault } = await reported();
  assert.deepEqual([signedOn, lineFault.reason], [false, 'signOnRefused']);
  await stage.host('BANK', { mode: 'up' });
  assert.equal((await stage.paid('visa', { requestAmount: 11 })).body.responseResult, 'SUCCESS');
  assert.equal((await reported()).signedOn, true);
});

test('a sale whose answer is lost is reversed after the next sign-on', async () => {
  await stage.host('BANK', { mode: 'closeAfterRequest' });
  const lost = (await stage.paid('visa', { requestAmount: 13 })).body;
  assert.notEqual(lost.responseResult, 'SUCCESS');
  await stage.host('BANK', { mode: 'up' });
  await drained(stage);
  assert.deepEqual((await lines()).at(-1), 'SALE 13.00 REVERSED');
});
