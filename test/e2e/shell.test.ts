import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LossyRelay } from './lossy-relay.ts';
import { answerSchema, atShell, type Ended, ShellTill } from './shell-till.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** The commands of a till, by the command `poid` itself. The judge is the books of the host. */

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

const sim = () => ['--sim', stage.simUrl];

/** The one document on standard output. */
async function answerOf(ended: Ended, method: 'get' | 'post', call: string): Promise<Json> {
  const answer: Json = JSON.parse(ended.out);
  assert.equal(ended.out, `${JSON.stringify(answer)}\n`, 'nothing else, and byte for byte');
  const { success, error } = (await answerSchema(stage, method, `/sp/v1/${call}`)).safeParse(answer);
  assert.ok(success, error?.message);
  return answer;
}

describe('pay', () => {
  test('a simulated card pays: outcome and receipt on standard output, progress on standard error', async () => {
    const before = (await stage.posted()).length;
    const { code, out, err } = await atShell(stage, 'pay', '30', '--card', 'visa', ...sim(), '--reference', 'T12');
    assert.equal(code, 0, err);
    assert.match(
      out,
      /^Approved {2}SALE {2}HKD 30\.00 {2}VISA {2}\*{12}0119 {2}approval \w{6}\ntransaction \w{26}\n\n/,
    );
    assert.match(out, /TOTAL +HKD 30\.00\n/);
    assert.match(err, /^SALE HKD 30\.00 at http:\S+, SHELL \d{8}T\d{6}Z-[0-9a-f]{6}\n {2}present a card/);
    assert.match(err, /asking the bank/);
    assert.doesNotMatch(out + err, /[^\P{Cc}\n]/u, 'no colour where nobody looks');
    assert.equal((await stage.posted()).length, before + 1);
  });

  test('--json is the terminal’s own answer, and the same messageId is the same payment', async () => {
    const before = (await stage.posted()).length;
    const words = ['pay', '30.50', '--card', 'visa', ...sim(), '--id', 'J-1', '--json'];
    const first = await atShell(stage, ...words);
    const answer = await answerOf(first, 'post', 'payment');
    assert.deepEqual([first.code, answer.responseResult, answer.transactionResult.totalAmount], [0, 'SUCCESS', 30.5]);
    const again = await answerOf(await atShell(stage, ...words), 'post', 'payment');
    assert.equal(again.terminalTransactionId, answer.terminalTransactionId);
    assert.equal((await stage.posted()).length, before + 1);
  });

  for (const [words, method] of [
    [['--method', 'octopus'], 'OCTOPUS'],
    [['--method', 'alipay', '--entry-mode', 'qr_scan'], 'ALIPAY'],
    [['--method', 'wechat', '--entry-mode', 'QR_PRESENT'], 'WECHAT'],
    [['--card', 'unionpay', '--entry', 'insert'], 'UNIONPAY'],
  ] as const) {
    test(`the simulated customer pays by ${method}`, async () => {
      const ended = await atShell(stage, 'pay', '12', ...words, ...sim(), '--json');
      const { transactionResult } = await answerOf(ended, 'post', 'payment');
      assert.deepEqual([ended.code, transactionResult.paymentMethod], [0, method], ended.err);
      await stage.does('/api/reader/remove');
    });
  }

  test('declined is 4, and says why', async () => {
    await stage.host('EDC', { decline: '51' });
    const { code, out } = await atShell(stage, 'pay', '30', '--card', 'visa', ...sim());
    await stage.host('EDC', { mode: 'up' });
    assert.equal(code, 4);
    assert.match(out, /^Declined {2}SALE[^\n]*\n[^\n]*Ask for another way to pay[^\n]*\n[^\n]*\[insufficientFunds\]/);
    assert.doesNotMatch(out, /APPROVED/);
  });

  test('Ctrl-C cancels, and waits for the outcome: 5', async () => {
    const before = (await stage.posted()).length;
    const till = new ShellTill(stage.apiUrl, ['pay', '30']);
    await till.says(/present a card/);
    till.interrupt();
    const { code, out } = await till.ended;
    assert.equal(code, 5);
    assert.match(out, /^Cancelled {2}SALE {2}HKD 30\.00/);
    assert.equal((await stage.posted()).length, before);
    assert.equal((await stage.status()).state, 'idle');
  });

  test('a second Ctrl-C leaves with 7 and the identity, which an enquiry tells the outcome of', async () => {
    await stage.host('EDC', { delayMs: 2_000 });
    const till = new ShellTill(stage.apiUrl, ['pay', '30', '--card', 'visa', ...sim(), '--id', 'LEFT']);
    await till.says(/asking the bank/);
    till.interrupt();
    await till.says(/cancelling/);
    till.interrupt();
    const { code, out, err } = await till.ended;
    assert.deepEqual([code, out], [7, '']);
    assert.match(err, /Do not charge again before:\n {2}poid enquire LEFT --terminal http/);
    await stage.host('EDC', { mode: 'up' });
    const answer = await atShell(stage, 'enquire', 'LEFT', '--json');
    const { transactionResult } = await answerOf(answer, 'post', 'enquiry');
    const posted = (await stage.posted()).filter(({ stan }: Json) => Number(stan) === transactionResult?.trace).length;
    assert.equal(answer.code === 0, posted === 1, `${answer.code}: ${answer.out}`);
  });

  test('a connection that is cut while the customer waits: one payment, and its outcome', async () => {
    const relay = await LossyRelay.open(() => Number(new URL(stage.apiUrl).port));
    try {
      const before = (await stage.posted()).length;
      const till = new ShellTill(relay.url, ['pay', '30', '--json']);
      await till.says(/present a card/);
      relay.next();
      await stage.tap('visa');
      const ended = await till.ended;
      assert.equal(ended.code, 0, ended.err);
      assert.equal((await answerOf(ended, 'post', 'payment')).responseResult, 'SUCCESS');
      assert.equal((await stage.posted()).length, before + 1);
    } finally {
      relay.close();
    }
  });

  test('what the terminal refuses is 1, and begins nothing', async () => {
    const refused = await atShell(stage, 'pay', '30', '--type', 'AUTH', '--method', 'cash');
    assert.equal(refused.code, 1, refused.err);
    assert.match(refused.out, /^Refused\n/);
    const gone = await atShell(stage, 'void', 'NONE');
    assert.match(gone.out, /\[originalUnknown\]/);
    assert.notEqual(gone.code, 0);
  });

  test('an amount that the currency does not have is 2, and nothing is sent', async () => {
    const { code, out, err } = await atShell(stage, 'pay', '30.001');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^poid: 30\.001 HKD can’t be paid: HKD has 2 decimals\n/);
    assert.equal((await stage.status()).state, 'idle');
  });

  test('no terminal: 1 at once for a payment, because nothing was begun; 7 for an enquiry', async () => {
    const nowhere = ['--terminal', 'http://127.0.0.1:1'];
    const paid = await atShell(stage, 'pay', '30', ...nowhere);
    assert.deepEqual([paid.code, paid.out], [1, '']);
    assert.match(paid.err, /no terminal answers at http:\/\/127\.0\.0\.1:1: no terminal listens there/);
    assert.equal((await atShell(stage, 'enquire', 'X', ...nowhere)).code, 7);
    assert.equal((await atShell(stage, 'status', '--terminal', stage.simUrl)).code, 1);
  });
});

describe('the other commands of a till', () => {
  let sold: Json;
  before(async () => {
    sold = (await stage.paid('visa', { posId: 'SHELL' })).body;
  });

  test('refund, void, and what an enquiry tells of them', async () => {
    const id = sold.terminalTransactionId as string;
    const refunded = await atShell(stage, 'refund', '10', '--of', id, '--card', 'visa', ...sim(), '--json');
    const { transactionResult } = await answerOf(refunded, 'post', 'payment');
    assert.deepEqual([refunded.code, transactionResult.tranType], [0, 'REFUND'], refunded.err);
    const undone = await atShell(
      stage,
      'void',
      refunded.out.match(/"terminalTransactionId":"(\w+)"/)?.[1] ?? '',
      '--json',
    );
    assert.equal((await answerOf(undone, 'post', 'payment')).transactionResult.tranType, 'VOID_REFUND');
    assert.equal((await atShell(stage, 'void', id)).code, 0);
    const answer = await atShell(stage, 'enquire', sold.messageId);
    assert.equal(answer.code, 9, answer.out);
    assert.match(answer.out, /^Undone {2}voided {2}SALE/);
    const last = await atShell(stage, 'enquire');
    assert.equal(last.code, 0);
    assert.match(last.out, /VOID SALE/);
    const never = await atShell(stage, 'enquire', 'NEVER');
    assert.equal(never.code, 7, 'this journal is too young to know');
  });

  test('refunded in part: 10, with how much, also where the payment is repeated; all of it: 9', async () => {
    const messageId = `part-${process.pid}`;
    const pay = ['pay', '30', '--id', messageId, '--card', 'visa', ...sim(), '--json'];
    const { out } = await atShell(stage, ...pay);
    const id = out.match(/"terminalTransactionId":"(\w+)"/)?.[1] ?? '';
    const refund = (amount: string) => atShell(stage, 'refund', amount, '--of', id, '--card', 'visa', ...sim());
    assert.equal((await refund('10')).code, 0);
    const answer = await atShell(stage, 'enquire', messageId);
    assert.equal(answer.code, 10, answer.out);
    assert.match(answer.out, /^Partly refunded .*HKD 30\.00 {2}refunded HKD 10\.00/);
    assert.equal((await atShell(stage, ...pay)).code, 10);
    assert.match(
      (await atShell(stage, 'transactions', '--limit', '2')).out,
      /PARTIALLY_REFUNDED +HKD 30\.00, refunded HKD 10\.00/,
    );
    assert.equal((await refund('20')).code, 0);
    assert.equal((await atShell(stage, 'enquire', messageId)).code, 9);
    assert.equal((await atShell(stage, ...pay)).code, 9);
  });

  test('cancel: 0 for a payment that waits, 1 for one that has ended', async () => {
    const { request, answer } = stage.begun({ posId: 'SHELL' });
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.armed,
    );
    const cancelled = await atShell(stage, 'cancel', request.messageId, '--json');
    assert.deepEqual([cancelled.code, (await answerOf(cancelled, 'post', 'cancel')).responseResult], [0, 'SUCCESS']);
    assert.equal((await answer).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
    const late = await atShell(stage, 'cancel', sold.messageId);
    assert.equal(late.code, 1);
    assert.match(late.out, /^Not cancelled\nIt is too late/);
  });

  test('status, transactions and report, for a person and as JSON', async () => {
    for (const [words, call, shows] of [
      [['status'], 'status', /^ready {2}idle .*\n\ndevice.*\nreader +ready/],
      [['transactions', '--of', 'SHELL', '--limit', '2'], 'transactions', /^time .*\n.*HKD 30\.00.*\n/],
      [['transactions', '--last'], 'transactions', /^time /],
      [['report'], 'report', /^acquirer .*\n[\s\S]*EDC +\d+ +open +SALE/],
    ] as const) {
      const shown = await atShell(stage, ...words);
      assert.equal(shown.code, 0, shown.err);
      assert.match(shown.out, shows);
      assert.equal((await answerOf(await atShell(stage, ...words, '--json'), 'get', call)).responseResult, 'SUCCESS');
    }
    assert.match((await atShell(stage, 'report', '--csv')).out, /^by,name/);
    const refused = await atShell(stage, 'transactions', '--since', 'yesterday');
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /since/);
  });

  test('events tells the state now; with --follow each change as a line of JSON', async () => {
    assert.match((await atShell(stage, 'events')).out, /^\d\d:\d\d:\d\d\.\d{3} {2}idle\n$/);
    const till = new ShellTill(stage.apiUrl, ['events', '--follow', '--json']);
    await eventually(
      async () => till.out,
      (out) => out.includes('"idle"'),
    );
    await stage.paid('visa');
    await eventually(
      async () => till.out,
      (out) => out.includes('"approved"'),
    );
    till.interrupt();
    const { code, out } = await till.ended;
    assert.equal(code, 0);
    const states = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const each of states) assert.deepEqual(Object.keys(each).toSorted(), ['data', 'event']);
    assert.deepEqual(
      states.slice(0, 3).map(({ data }) => data.state),
      ['idle', 'collecting', 'authorizing'],
    );
  });

  test('print: a text, a receipt again, and the report', async () => {
    const file = path.join(stage.dir, 'order.txt');
    await writeFile(file, 'Table 12\n---\n2 x 凍檸茶\n');
    const printed = await atShell(stage, 'print', file, '--json');
    assert.equal((await answerOf(printed, 'post', 'print')).printStatus, 'PRINTED', printed.err);
    assert.equal(
      (await atShell(stage, 'print', '--receipt', sold.terminalTransactionId)).out,
      'the receipt is at the printer\n',
    );
    assert.equal((await atShell(stage, 'print', '--report')).out, 'printed\n');
    const paper = await (await fetch(`${stage.simUrl}/api/printer/paper`)).text();
    assert.match(paper, /Table 12/);
    assert.match(paper, /DUPLICATE/);
    assert.equal((await atShell(stage, 'print')).code, 2);
  });

  test('settle: 0 with each batch, and 3 for one that its host refuses', async () => {
    const settled = await atShell(stage, 'settle', 'EDC', '--json');
    const [{ result }] = (await answerOf(settled, 'post', 'settlement')).settlements;
    assert.deepEqual([settled.code, result], [0, 'BALANCED'], settled.err);
    await stage.paid('visa');
    await stage.host('EDC', { mode: 'silent', settlement: true });
    const failed = await atShell(stage, 'settle', 'edc');
    await stage.host('EDC', { mode: 'up' });
    assert.equal(failed.code, 3, failed.err);
    assert.match(failed.out, /EDC +\d+ +FAILED +SALE/);
    assert.equal((await atShell(stage, 'settle', 'NOBODY')).code, 1);
  });
});
