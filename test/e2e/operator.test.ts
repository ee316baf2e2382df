import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { Operator, password, poid } from './operator.ts';
import { eventually, Stage } from './stage.ts';

let stage: Stage;
let operator: Operator;
before(async () => {
  stage = await Stage.open({
    configuration: { screen: { outcomeMs: 50 }, operator: { unlinkedRefund: { HKD: 550 } } },
  });
  operator = new Operator(stage);
});
after(() => stage.close());
/** As the page makes one for each question. */
const confirmation = () => randomBytes(16).toString('hex');
const today = () =>
  eventually(
    () => operator.does({ kind: 'today' }),
    ({ status }) => status !== 409,
  );

afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

test('no login without a password; once one is set, it works without a restart', async () => {
  assert.equal((await operator.sees(() => true)).operator, false);
  assert.deepEqual((await operator.asks({ kind: 'login', password })).body, { reason: 'noPassword' });
  assert.deepEqual(await poid(stage, ['operator-password'], password), { code: 0, out: 'the password is set\n' });
  assert.deepEqual((await operator.asks({ kind: 'login', password: '000000' })).body, { reason: 'wrong', waitMs: 0 });
  await operator.login();
  await operator.asks({ kind: 'look' });
  assert.equal((await operator.sees((view) => view.operator)).pairs, false);
});

test('a void of what is in the open batch: the list has it, the host’s books lose it', async () => {
  const sold = await stage.paid('visa', { requestAmount: 12.5 });
  await stage.paid('visa', { requestAmount: 7 });
  await operator.login();
  const { body } = await today();
  const [last, first] = body.transactions;
  assert.deepEqual([last.amount, first.amount], ['7.00', '12.50']);
  const { at, ...row } = first;
  const id = sold.body.terminalTransactionId;
  assert.deepEqual(row, {
    id,
    kind: 'SALE',
    method: 'VISA',
    lastDigits: '0119',
    amount: '12.50',
    currency: 'HKD',
    posId: 'POS-1',
    state: 'APPROVED',
  });
  assert.ok(!Number.isNaN(Date.parse(at)));
  const asked = { kind: 'act', act: 'VOID', transaction: id, amount: '12.50', currency: 'HKD' };
  const yes = { ...asked, confirmation: confirmation() };
  const answer = await operator.does(yes);
  assert.equal(answer.body.responseResult, 'SUCCESS', answer.body.message);
  assert.deepEqual((await operator.does(yes)).body, answer.body, 'a second press gets the first answer');
  assert.deepEqual(
    (await stage.posted()).map(({ amount }) => amount),
    ['7.00'],
  );
  const left = await today();
  assert.deepEqual(
    left.body.transactions.slice(0, 3).map(({ kind, state }: Record<string, string>) => `${kind} ${state}`),
    ['VOID_SALE APPROVED', 'SALE APPROVED', 'SALE VOIDED'],
  );
  const { body: story } = await operator.does({ kind: 'story', transaction: id });
  assert.deepEqual([story.state, story.acts, story.later.length], ['VOIDED', [], 1]);
  await eventually(
    () => operator.does({ kind: 'receipts' }),
    ({ body: answer }) => answer.transactions?.every(({ waits }: { waits?: true }) => waits === undefined),
  );
});

test('who did what and when is on the disk', async () => {
  const lines = (await readFile(path.join(stage.stateDir, 'operator.jsonl'), 'utf8')).trimEnd().split('\n');
  const steps = lines.map((line) => JSON.parse(line));
  assert.ok(steps.every(({ at, who }) => !Number.isNaN(Date.parse(at)) && who === 'OPERATOR'));
  const acts = steps.filter(({ action }) => action === 'act');
  assert.deepEqual(
    acts.map(({ state, detail }) => [state, detail.act, detail.amount]),
    Array.from({ length: 2 }, () => ['asked', 'done'].map((state) => [state, 'VOID', '12.50'])).flat(),
  );
  assert.ok(!lines.join().includes(password));
});

test('the paper is out: the idle screen counts the receipts, and the operator prints them when it is back', async () => {
  await stage.sim('POST', '/api/printer/fault', { paperOut: true });
  const { body: sold } = await stage.paid('visa');
  const seen = await operator.sees(({ receipts }) => receipts === 1);
  assert.ok(seen.notices.includes('paperOut'));
  await operator.login();
  const transaction = sold.terminalTransactionId;
  const refused = await operator.does({ kind: 'printReceipt', transaction });
  assert.deepEqual([refused.status, refused.body], [200, { reason: 'paper-out' }]);
  const [waiting] = (await operator.does({ kind: 'receipts' })).body.transactions;
  assert.deepEqual([waiting.id, waiting.waits], [transaction, true]);
  await stage.sim('DELETE', '/api/printer/paper');
  await stage.sim('POST', '/api/printer/fault', { paperOut: false });
  await operator.sees(({ receipts }) => receipts === 0);
  for (const copies of [1, 2]) {
    const { status, body } = await operator.does({ kind: 'printReceipt', transaction });
    assert.deepEqual([status, body], [200, {}]);
    assert.ok((await stage.paper()).split(transaction).length - 1 >= copies);
  }
  const [printed] = (await operator.does({ kind: 'receipts' })).body.transactions;
  assert.deepEqual([printed.id, printed.waits], [transaction, undefined]);
  assert.equal((await operator.does({ kind: 'printReceipt', transaction: 'none' })).body.reason, 'notWaiting');
});

test('a refund goes to the card that the customer presents', async () => {
  await operator.login();
  const refunded = operator.does({
    kind: 'refund',
    amount: '5.5',
    currency: 'HKD',
    confirmation: confirmation(),
  });
  await stage.tap('visa');
  const { body } = await refunded;
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  const [entry] = await stage.posted();
  assert.equal(entry.amount, '5.50');
  assert.equal(body.transactionResult.tranType, 'REFUND');
  await operator.login();
  for (const amount of ['0', '-1', '1.234', 'x', '']) {
    const asked = { kind: 'refund', amount, currency: 'HKD', confirmation: confirmation() };
    assert.equal((await operator.does(asked)).status, 400, amount);
  }
  const above = { kind: 'refund', amount: '5.51', currency: 'HKD', confirmation: confirmation() };
  assert.deepEqual((await operator.does(above)).body, { reason: 'aboveRefundRight' });
});

test('the settlement closes the batches, and leaves the session open', async () => {
  await stage.paid('visa');
  const batch = async () => (await stage.status()).acquirers.find(({ id }: { id: string }) => id === 'EDC').openBatch;
  const open = await batch();
  await operator.login();
  const { body } = await operator.does({ kind: 'settle', confirmation: confirmation() });
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  assert.equal(await batch(), open + 1);
  const { body: figures } = await operator.does({ kind: 'report', acquirer: 'EDC' });
  assert.deepEqual([figures.kind, figures.sums], ['X', []]);
});

test('the menu shows what waits for the host, and when it is done', async () => {
  await stage.host('EDC', { mode: 'silent', reversals: true });
  await operator.login();
  assert.equal((await stage.paid('visa')).body.financialImpact, 'REVERSAL_PENDING');
  assert.equal((await operator.does({ kind: 'today' })).status, 401, 'a till’s payment ended the session');
  await operator.sees((view) => view.waiting.reversals === 1);
  await stage.host('EDC', { mode: 'up' });
  await operator.sees((view) => view.waiting.reversals === 0);
  await eventually(
    () => stage.status(),
    ({ pendingReversals }) => pendingReversals === 0,
  );
});

test('a host that refuses a reversal for ever: set aside with the bank’s word, the queue goes on, also after a restart', async () => {
  await stage.host('EDC', { mode: 'closeAfterRequest', refuseReversals: '96' });
  const sold = await stage.paid('visa');
  assert.equal(sold.body.financialImpact, 'REVERSAL_PENDING');
  const id = sold.body.terminalTransactionId;
  await stage.host('EDC', { mode: 'up', refuseReversals: '96' });
  const next = await stage.paid('visa');
  assert.equal(next.body.financialImpact, 'NONE', 'nothing is sent before its reversal is through');
  await operator.login();
  const listed = () => operator.does({ kind: 'waiting' });
  const { body } = await eventually(listed, ({ body: answer }) => answer.transactions?.[0]?.responseCode === '96');
  const [{ at, attempts, ...row }] = body.transactions;
  const trace = String(sold.body.transactionResult.trace).padStart(6, '0');
  assert.deepEqual(row, {
    id,
    acquirer: 'EDC',
    message: 'reversal',
    kind: 'SALE',
    method: 'VISA',
    lastDigits: '0119',
    amount: '30.00',
    currency: 'HKD',
    trace,
    responseCode: '96',
    unsendable: false,
  });
  assert.ok(attempts >= 1 && !Number.isNaN(Date.parse(at)));

  // The sale stands in the host's books, and that is what the bank says.
  assert.deepEqual(
    (await stage.posted()).map(({ amount }) => amount),
    ['30.00'],
  );
  assert.equal((await operator.does({ kind: 'setAside', transaction: id, outcome: 'POSTED' })).status, 200);
  await operator.sees((view) => view.waiting.reversals === 0);
  assert.deepEqual((await listed()).body.transactions, []);
  assert.match(stage.log, new RegExp(`"terminalTransactionId":"${id}"[^\\n]*"set aside"|"set aside"[^\\n]*"${id}"`));
  const edc = async () => (await stage.status()).acquirers.find((each: { id: string }) => each.id === 'EDC');
  assert.partialDeepStrictEqual(await edc(), { pendingReversals: 0, unsendable: [], setAside: [id] });

  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const { posId, messageId } = sold.body;
  const answered = (await stage.post('enquiry', { posId, messageId })).body;
  assert.partialDeepStrictEqual(answered, { responseResult: 'ERROR', responseCode: 2, financialImpact: 'UNKNOWN' });
  assert.match(answered.message, /^charged, .*confirmed by the operator/);
  assert.equal(answered.transactionResult.tranStatus, 'ERROR');
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  const settled = await stage.post('settlement', { posId: 'POS-1', messageId: 'S-aside', acquirer: 'EDC' });
  assert.equal(settled.body.settlements[0].result, 'BALANCED', JSON.stringify(settled.body));
  assert.deepEqual((await edc()).setAside, []);
});
