import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import * as z from 'zod';
import { ShellTill } from './shell-till.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** The commands of whoever looks after a terminal, beside one that runs, and when it has been killed. */

let stage: Stage;
let sold: Json;
let undone: Json;
before(async () => {
  stage = await Stage.open();
  ({ body: sold } = await stage.paid('visa', { cashierId: '=cmd' }));
  await stage.host('EDC', { decline: '51' });
  await stage.paid('visa', { requestAmount: 1234.5 });
  await stage.host('EDC', { mode: 'up' });
  undone = (
    await stage.payment({
      ...stage.named(),
      transactionType: 'VOID',
      originalTerminalTransactionId: sold.terminalTransactionId,
    })
  ).body;
});
after(() => stage.close());

async function run(...words: string[]) {
  const shell = new ShellTill(stage.apiUrl, words);
  shell.type('');
  return shell.ended;
}

const journal = (...words: string[]) => run('journal', ...words, '--state-dir', stage.stateDir);

const entry = z.strictObject({
  terminalTransactionId: z.string().length(26),
  posId: z.string(),
  messageId: z.string(),
  at: z.iso.datetime(),
  type: z.string(),
  amount: z.string().regex(/^\d+\.\d\d$/),
  currency: z.literal('HKD'),
  state: z.string(),
  reason: z.string(),
  method: z.string(),
  lastFour: z.string().regex(/^\d{4}$/),
  acquirer: z.string(),
  batch: z.int().optional(),
  trace: z.int().optional(),
  invoice: z.int().optional(),
  approvalCode: z.string(),
  reversal: z.string(),
  advice: z.string(),
  original: z.string(),
  presentBatch: z.int().optional(),
  refundedAmount: z.string(),
  finalAmount: z.string(),
  merchantId: z.string(),
});

test('journal list and export tell each transaction as it stands, beside the terminal that runs', async () => {
  const listed = await journal('list', '--json');
  assert.equal(listed.code, 0, listed.err);
  const { transactions } = z.strictObject({ transactions: z.array(entry) }).parse(JSON.parse(listed.out));
  assert.deepEqual(
    transactions.map(({ type, state, reason }) => [type, state, reason]),
    [
      ['VOID_SALE', 'APPROVED', ''],
      ['SALE', 'DECLINED', 'insufficientFunds'],
      ['SALE', 'VOIDED', ''],
    ],
  );
  const exported = await journal('export', '--json');
  assert.deepEqual(
    exported.out
      .trim()
      .split('\n')
      .map((line) => entry.parse(JSON.parse(line))),
    transactions.toReversed(),
  );
  const table = (await journal('export', '--csv')).out.split('\r\n');
  assert.match(table[0] ?? '', /^terminalTransactionId,at,posId,messageId,type,amount,currency,state/);
  assert.equal(table.length, 5);
  assert.match((await journal('list', '--limit', '1')).out, /^\S+ {2}VOID_SALE +HKD 30\.00 {2}VISA 0119 [^\n]*\n$/);
  assert.equal(transactions[1]?.amount, '1234.50');
  assert.match((await journal('list')).out, / SALE +HKD 1,234\.50 /, 'a person reads thousands apart');
  assert.equal((await journal('export')).code, 2);
  assert.equal((await journal('list', '--since', 'today')).code, 2);
});

test('journal settlements tells each total, and nothing of a settlement that it is not asked for', async () => {
  const before = new Date();
  assert.equal((await journal('settlements', '--json')).out, '', 'there was none');
  await stage.paid('visa', { requestAmount: 12.5 });
  const { body } = await stage.settle();
  const rows = (await journal('settlements', '--json')).out
    .trimEnd()
    .split('\n')
    .map((line): Json => JSON.parse(line));
  const common = { terminalTransactionId: body.terminalTransactionId, posId: body.posId, messageId: body.messageId };
  const none = { type: '', currency: '', count: 0, amount: '', merchantId: '' };
  const sales = { type: 'SALE', currency: 'HKD', count: 1, amount: '12.50', merchantId: '' };
  assert.deepEqual(
    rows.map(({ at: _at, ...row }) => row),
    body.settlements.map(({ acquirer, acquirerMid, acquirerTid, batch, result }: Json) => {
      const reported = { acquirer, mid: acquirerMid, tid: acquirerTid, batch, result, message: '' };
      return { ...common, ...reported, ...(acquirer === 'EDC' ? sales : none) };
    }),
  );
  assert.ok(rows.every(({ at }) => new Date(at) >= before));
  const [newest] = JSON.parse((await journal('list', '--json', '--limit', '1')).out).transactions;
  assert.equal(newest.presentBatch, rows.find(({ acquirer }) => acquirer === 'EDC').batch);
  const table = (await journal('settlements', '--csv')).out.trimEnd().split('\r\n');
  assert.deepEqual(table, [Object.keys(rows[0]).join(), ...rows.map((row) => Object.values(row).join())]);
  assert.equal(
    (await journal('settlements', '--json', '--since', new Date(Date.now() + 3_600_000).toISOString())).out,
    '',
  );
  assert.equal((await journal('settlements', '--json', '--until', before.toISOString())).out, '');
  assert.equal((await journal('settlements')).code, 2);
});

test('journal show tells the story of one, and nothing of its card', async () => {
  const { out, code } = await journal('show', sold.terminalTransactionId);
  assert.equal(code, 0);
  assert.match(out, /accepted: SALE HKD 30\.00 of POS-1 M-1, cashier =cmd\n.*to EDC: sale by VISA \*{4}0119/);
  assert.match(out, /answer: approved, code 00[\s\S]*ended: approved \(SUCCESS\)\n/);
  assert.ok(out.includes(`later: ${undone.terminalTransactionId}`));
  const shown = await journal('show', 'M-1', '--json');
  const story = z.strictObject({
    transactions: z.array(
      z.strictObject({ terminalTransactionId: z.string(), events: z.array(z.string()), later: z.array(z.string()) }),
    ),
  });
  assert.equal(story.parse(JSON.parse(shown.out)).transactions.length, 1);
  assert.doesNotMatch(out + shown.out, /476173|encryptedPan|ksn|[0-9A-F]{16}/);
  assert.equal((await journal('show', 'NOBODY')).code, 1);
});

test('journal verify: whole beside the terminal and after its death, and the damaged one is told', async () => {
  const result = z.strictObject({ result: z.string(), transactions: z.int(), rows: z.int(), unreadable: z.int() });
  const whole = await journal('verify', '--json');
  assert.deepEqual([whole.code, result.parse(JSON.parse(whole.out)).transactions], [0, 4]);
  await stage.stopDaemon('SIGKILL');
  assert.equal((await journal('verify')).code, 0);
  await stage.startDaemon();
  await stage.stopDaemon('SIGTERM');
  const file = path.join(stage.stateDir, 'journal.db');
  const bytes = await readFile(file);
  const spoilt = Buffer.concat([bytes.subarray(0, 8_192), Buffer.alloc(bytes.length - 8_192, 0xa5)]);
  await writeFile(file, spoilt);
  const damaged = await journal('verify');
  assert.equal(damaged.code, 1, damaged.out);
  assert.deepEqual(await readFile(file), spoilt, 'it is only read');
  await writeFile(file, bytes);
  await stage.startDaemon();
  assert.equal((await run('journal', 'verify', '--state-dir', path.join(stage.dir, 'none'))).code, 1);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith('poid-journal-'));
  await eventually(
    async () => readdirSync(tmpdir()).filter((name) => left.includes(name)),
    (still) => still.length === 0,
  );
});

test('logs tells the lines of one payment and of its void, by either id, from a file and from a pipe', async () => {
  const file = path.join(stage.dir, 'poid.log');
  await writeFile(file, `<6>${stage.log.trim().replaceAll('\n', '\n<6>')}\nStarted poid.service.\n{"level":"x"}\n`);
  const all = await run('logs', '--file', file);
  assert.equal(all.code, 0, all.err);
  assert.match(all.out, /Started poid\.service\./);
  assert.match(all.out, /^\d{4}-\d\d-\d\dT[\d:.]+\+\d\d:\d\d info /m);
  const [byId, byMessage] = [
    await run('logs', sold.terminalTransactionId, '--file', file),
    await run('logs', 'M-1', '--file', file),
  ];
  assert.equal(byId.out, byMessage.out);
  const lines = byId.out.trim().split('\n');
  assert.ok(lines.length >= 3, byId.out);
  const ids = [sold.terminalTransactionId, undone.terminalTransactionId];
  for (const line of lines)
    assert.ok(
      ids.some((id) => line.includes(id)),
      line,
    );
  const piped = new ShellTill(stage.apiUrl, ['logs', 'M-1', '--file', '-', '--json']);
  piped.type(stage.log);
  for (const line of (await piped.ended).out.trim().split('\n'))
    z.looseObject({ msg: z.string() }).parse(JSON.parse(line));
  assert.equal((await run('logs', 'NOBODY', '--file', file)).code, 1);
});

test('logs has the shop’s time with its offset, in place of the machine’s; --json is as it was written', async () => {
  const configuration = path.join(stage.dir, 'eucla.json');
  const settings = JSON.parse(await readFile(stage.configuration, 'utf8')) as object;
  await writeFile(configuration, JSON.stringify({ ...settings, timeZone: 'Australia/Eucla' }));
  const file = path.join(stage.dir, 'one.log');
  const line = JSON.stringify({ level: 30, time: Date.UTC(2026, 10, 23, 20, 18, 29, 720), msg: 'started' });
  await writeFile(file, `${line}\n`);
  const shown = await run('logs', '--file', file, '--config', configuration);
  assert.equal(shown.out, '2026-11-24T05:03:29.720+08:45 info  started\n', shown.err);
  assert.equal((await run('logs', '--file', file, '--config', configuration, '--json')).out, `${line}\n`);
});

test('logs finds a payment by each form of messageId, and one that is a card number by its mask', async () => {
  const ids = ['1795656450248000123', '1795656450248', '20261126093000123', '0f8fad5b-d9cb-469f-a165-70867728950e'];
  const card = '4761739001010010';
  for (const messageId of [...ids, card]) await stage.paid('visa', { messageId });
  const file = path.join(stage.dir, 'ids.log');
  await writeFile(file, stage.log);
  for (const id of ids) {
    assert.ok(stage.log.includes(`"messageId":"${id}"`), id);
    const { code, out } = await run('logs', id, '--file', file);
    assert.equal(code, 0, id);
    assert.ok(out.includes(id), out);
  }
  assert.ok(!stage.log.includes(card));
  for (const id of [card, '************0010']) {
    const { code, out } = await run('logs', id, '--file', file);
    assert.equal(code, 0, id);
    assert.ok(out.includes('************0010') && !out.includes(card), out);
  }
});

test('devices prints one document', async () => {
  const { code, out } = await run('devices', '--json');
  assert.equal(code, 0);
  assert.ok(Array.isArray(JSON.parse(out).devices));
});
