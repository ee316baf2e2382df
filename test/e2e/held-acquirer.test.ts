import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { poid } from '../cli/poid.ts';
import { eventually, type HostName, type Json, Stage } from './stage.ts';

/** A terminal that has sold, and whose configuration is edited while it is off. */
async function shop(t: TestContext, hosts: readonly HostName[]): Promise<Stage> {
  const stage = await Stage.open({ hosts });
  t.after(() => stage.close());
  return stage;
}

async function edit(
  stage: Stage,
  change: (acquirers: Json[]) => Json[] | void,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
) {
  if (stage.running) await stage.stopDaemon(signal);
  const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  configuration.acquirers = change(configuration.acquirers) ?? configuration.acquirers;
  await writeFile(stage.configuration, JSON.stringify(configuration));
  await stage.startDaemon();
}

const entryOf = async (stage: Stage, id: string): Promise<Json> =>
  (await stage.status()).acquirers.find((each: Json) => each.id === id);
const termsOf = ({ status, body }: { status: number; body: Json }) => [status, body.reason, body.financialImpact];
const settlementOf = async (stage: Stage, acquirer: string): Promise<Json> =>
  (await stage.settle({ acquirer })).body.settlements[0];

test('another terminal id, with a reversal queued: both come to their end under the former one, then it sells under the new one', async (t) => {
  const stage = await shop(t, ['EDC', 'CUP']);
  const { body: sold } = await stage.paid('visa');
  await stage.host('EDC', { mode: 'silent', reversals: true });
  const { body: lost } = await stage.paid('visa');
  assert.equal(lost.financialImpact, 'REVERSAL_PENDING');
  await edit(stage, (all) => void (all.find(({ id }) => id === 'EDC').tid = '87654399'), 'SIGKILL');
  const { tid: former, held } = await entryOf(stage, 'EDC');
  assert.notEqual(former, '87654399');
  assert.deepEqual(held.changed, ['tid']);
  assert.match(stage.log, /acquirer held/);
  assert.deepEqual((await stage.menu()).held, ['EDC']);

  assert.deepEqual(termsOf(await stage.payment(stage.saleRequest({ forceAcquirer: 'EDC' }))), [
    503,
    'acquirerHeld',
    'NONE',
  ]);
  const { body: card } = await stage.paid('visa');
  assert.deepEqual([card.responseResult, card.reason], ['DECLINED', 'acquirerHeld']);
  assert.equal((await stage.paid('unionpay')).body.responseResult, 'SUCCESS', 'other acquirers sell');

  await stage.host('EDC', { mode: 'up' });
  await eventually(
    () => stage.status(),
    ({ pendingReversals }) => pendingReversals === 0,
  );
  assert.equal((await stage.enquiry(lost)).body.financialImpact, 'REVERSED');
  assert.ok((await entryOf(stage, 'EDC')).held, 'its batch is open');
  const settled = await settlementOf(stage, 'EDC');
  assert.deepEqual([settled.result, settled.acquirerTid, settled.totals[0].count], ['BALANCED', former, 1]);
  await eventually(
    () => entryOf(stage, 'EDC'),
    (entry) => entry.held === undefined,
  );
  assert.match(stage.log, /acquirer released/);
  const { body: after } = await stage.paid('visa');
  assert.deepEqual(
    [after.responseResult, after.acquirerTid ?? after.transactionResult?.acquirerTid],
    ['SUCCESS', '87654399'],
  );
  assert.equal((await settlementOf(stage, 'EDC')).acquirerTid, '87654399');
  const states = (await stage.ledger('EDC')).map(({ status }) => String(status)).toSorted((a, b) => a.localeCompare(b));
  assert.deepEqual(states, ['POSTED', 'POSTED', 'REVERSED']);
  assert.equal((await stage.enquiry(sold)).body.transactionResult?.acquirerTid ?? former, former);
});

test('a void of the held batch goes out under the former merchant id; the doctor names the acquirer', async (t) => {
  const stage = await shop(t, ['EDC']);
  const { body: sold } = await stage.paid('visa');
  await edit(stage, ([edc]) => void (edc.mid = '999999999999999'));
  const file = path.join(stage.dir, 'doctor.json');
  const own: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  const port = Number(new URL(stage.screenUrl).port);
  await writeFile(file, JSON.stringify({ ...own, stateDir: stage.stateDir, screen: { ...own.screen, port } }));
  const doctor = async () => {
    const { out } = await poid(t, 'doctor', '--config', file, '--json');
    return JSON.parse(out).findings.find(({ part }: Json) => part === 'acquirers');
  };
  const running = await doctor();
  assert.deepEqual([running.verdict, /mid changed/.test(running.detail)], ['FAIL', true]);
  const { terminalTransactionId: originalTerminalTransactionId } = sold;
  const request = stage.saleRequest({ transactionType: 'VOID', originalTerminalTransactionId });
  assert.equal((await stage.payment(request)).body.responseResult, 'SUCCESS');
  await stage.stopDaemon('SIGTERM');
  const stopped = await doctor();
  assert.equal(stopped.verdict, 'PASS', 'nothing counts in its batch');
  assert.equal((await stat(path.join(stage.stateDir, 'acquirers.json'))).mode & 0o777, 0o600);
});

test('an acquirer that is removed with an open batch is settled all the same, and takes nothing', async (t) => {
  const stage = await shop(t, ['EDC', 'CUP']);
  await stage.paid('visa');
  await edit(stage, (acquirers) => acquirers.filter(({ id }) => id !== 'EDC'));
  const entry = await entryOf(stage, 'EDC');
  assert.deepEqual([entry.configured, entry.held.changed], [false, []]);
  const { body: card } = await stage.paid('visa');
  assert.deepEqual([card.responseResult, card.reason], ['DECLINED', 'acquirerHeld']);
  assert.equal((await settlementOf(stage, 'EDC')).result, 'BALANCED');
  await eventually(
    () => entryOf(stage, 'EDC'),
    (each) => each === undefined,
  );
  assert.notEqual((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted('EDC')).length, 1);
});

test('a wallet at another URL: its open order is asked for at the former one', async (t) => {
  const stage = await shop(t, ['QR']);
  const scanned = {
    request: { preferredEntryMode: 'QR_SCAN' },
    present: async (each: Stage) => each.scan(await each.walletCode('ALIPAY')),
  };
  assert.equal((await stage.paid(scanned)).body.responseResult, 'SUCCESS');
  await edit(stage, ([qr]) => void (qr.url = 'http://127.0.0.1:9'));
  assert.deepEqual((await entryOf(stage, 'QR')).held.changed, ['url']);
  assert.deepEqual(termsOf(await stage.payment(stage.saleRequest({ preferredEntryMode: 'QR_SCAN' }))), [
    503,
    'acquirerHeld',
    'NONE',
  ]);
  await settlementOf(stage, 'QR');
  await eventually(
    () => entryOf(stage, 'QR'),
    ({ held }) => held === undefined,
  );
});

test('only the address of a host that has moved can be confirmed, and only while the terminal is stopped', async (t) => {
  const stage = await shop(t, ['EDC']);
  await stage.paid('visa');
  await stage.stopDaemon('SIGTERM');
  const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  const [edc] = configuration.acquirers;
  const [file, before] = [path.join(stage.dir, 'moved.json'), { ...edc }];
  const confirm = async (change: Json) => {
    configuration.acquirers[0] = { ...before, ...change };
    await writeFile(file, JSON.stringify({ ...configuration, stateDir: stage.stateDir }));
    return poid(t, 'acquirer', 'moved', 'EDC', '--config', file);
  };
  const other = await confirm({ port: 9, tid: '87654399' });
  assert.deepEqual([other.code, /tid of EDC changed too/.test(other.err)], [1, true]);
  assert.match((await confirm({})).err, /nothing was changed/);
  assert.match((await confirm({ currencies: ['USD'], port: 9 })).err, /currencies of EDC changed too/);
  assert.match((await poid(t, 'acquirer', 'moved', 'CUP', '--config', file)).err, /CUP is not configured/);
  const { code, out } = await confirm({ port: 9 });
  assert.deepEqual([code, out.includes('has moved from'), /not settled/.test(out)], [0, true, true]);
  const audit = (await readFile(`${stage.stateDir}-admin/audit.jsonl`, 'utf8')).trim().split('\n');
  assert.partialDeepStrictEqual(JSON.parse(audit.at(-1) ?? ''), {
    action: 'acquirer-moved',
    acquirer: 'EDC',
    to: '127.0.0.1:9',
  });
  await stage.startDaemon();
  assert.match((await confirm({ port: 10 })).err, /stop it first/);
});
