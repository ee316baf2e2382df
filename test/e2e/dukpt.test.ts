import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, describe, test } from 'node:test';
import { drained } from './books.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** The invented second bank: field 53 has the serial number of the key, in hexadecimal. */
const dialect = fileURLToPath(new URL('../../fixtures/dialects/second-bank.json', import.meta.url));

const bankOf = ({ acquirers }: Json): Json => acquirers.find(({ id }: Json) => id === 'BANK');

describe('a bank with DUKPT keys', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ flags: ['--dialect', dialect, '--mac', 'iso9797-3', '--mac-key', 'dukpt'] });
  });
  after(() => stage.close());
  afterEach(async () => {
    assert.deepEqual(await stage.unexpected(), []);
  });

  const file = () => path.join(stage.stateDir, 'key-counters.json');
  const counters = () => readFileSync(file(), 'utf8');
  const reserved = (): number => (Object.values(JSON.parse(counters()).counters) as Json[])[0]?.['reserved'];
  const sale = async (requestAmount: number) => (await stage.paid('visa', { requestAmount })).body;
  const succeeds = async (amount: number) => {
    const sold = await sale(amount);
    assert.equal(sold.responseResult, 'SUCCESS', JSON.stringify(sold));
    return sold;
  };
  const restarts = async (signal: 'SIGTERM' | 'SIGKILL') => {
    await stage.stopDaemon(signal);
    await stage.startDaemon();
  };
  /** Restarts the terminal with this text in the file of counters, or without the file. */
  const startsWith = async (text: string | undefined) => {
    await stage.stopDaemon('SIGTERM');
    if (text === undefined) rmSync(file());
    else writeFileSync(file(), text);
    await stage.startDaemon();
  };
  const fault = async () => bankOf(await stage.status()).lineFault?.reason;

  test('sells, voids and settles', async () => {
    const sold = await succeeds(7);
    assert.equal(sold.transactionResult.acquirerId, 'BANK');
    const request = { transactionType: 'VOID', originalTerminalTransactionId: sold.terminalTransactionId };
    const { body: voided } = await stage.payment(stage.saleRequest({ ...request, requestAmount: 7 }));
    assert.equal(voided.responseResult, 'SUCCESS', JSON.stringify(voided));
    await succeeds(8);
    const { body } = await stage.settle({ acquirer: 'BANK' });
    assert.equal(body.settlements[0].result, 'BALANCED', JSON.stringify(body));
  });

  test('a sale without an answer is reversed, each message under a key of its own', async () => {
    await stage.host('BANK', { mode: 'silent' });
    const lost = await sale(9);
    assert.equal(lost.responseResult, 'ERROR', JSON.stringify(lost));
    await stage.host('BANK', {});
    await drained(stage);
    assert.equal((await stage.enquiry(lost)).body.financialImpact, 'REVERSED');
  });

  test('a wrong code is no answer', async () => {
    await stage.host('BANK', { wrongMac: true });
    assert.equal((await sale(10)).responseResult, 'ERROR');
    assert.equal(await fault(), 'macNotValid');
    await stage.host('BANK', {});
    await drained(stage);
    await succeeds(11);
    assert.equal(await fault(), undefined);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`after ${signal} no key is used again: the host refuses one that it has seen`, async () => {
      const before = reserved();
      await restarts(signal);
      await succeeds(12);
      assert.ok(reserved() > before);
    });
  }

  test('an older copy of the counter: no card is taken, and the status has the reason', async () => {
    const older = counters();
    await restarts('SIGTERM');
    await succeeds(13);
    const newer = counters();
    await startsWith(older);
    await eventually(fault, (reason) => reason === 'keyCounterBehind');
    const refused = await sale(14);
    assert.deepEqual(
      [refused.responseResult, refused.reason, refused.financialImpact],
      ['ERROR', 'keysUnusable', 'NONE'],
      JSON.stringify(refused),
    );
    await startsWith(newer);
    await succeeds(15);
  });

  test('a lost counter: it continues from the serial number of the last message at the bank', async () => {
    const last = reserved();
    const text = readFileSync(stage.configuration, 'utf8');
    const configuration = JSON.parse(text);
    const { dukpt } = bankOf(configuration).mac.key;
    dukpt.ksn = (BigInt(`0x${dukpt.ksn}`) + BigInt(last)).toString(16);
    writeFileSync(stage.configuration, JSON.stringify(configuration));
    await startsWith(undefined);
    await succeeds(16);
    assert.ok(reserved() > last);
    await stage.stopDaemon('SIGTERM');
    writeFileSync(stage.configuration, text);
    await stage.startDaemon();
    await succeeds(17);
  });

  test('the whole directory was restored, which nothing shows: the host refuses the keys', async () => {
    await stage.stopDaemon('SIGTERM');
    const copies = ['journal.db', 'journal.state', 'key-counters.json'].map(
      (name) => [path.join(stage.stateDir, name), readFileSync(path.join(stage.stateDir, name))] as const,
    );
    await stage.startDaemon();
    await succeeds(18);
    await stage.stopDaemon('SIGTERM');
    for (const [name, content] of copies) writeFileSync(name, content);
    await stage.startDaemon();
    await eventually(fault, (reason) => reason === 'signOnRefused');
    assert.equal((await sale(19)).reason, 'notSignedOn');
    await stage.host('BANK', { acceptsUsedKeys: true });
    await eventually(
      () => sale(20),
      ({ responseResult }: Json) => responseResult === 'SUCCESS',
    );
  });
});

test('a bank with DUKPT keys of algorithm 1', async (t) => {
  const stage = await Stage.open({ flags: ['--dialect', dialect, '--mac', 'iso9797-1', '--mac-key', 'dukpt'] });
  t.after(() => stage.close());
  assert.equal((await stage.paid('visa', { requestAmount: 7 })).body.responseResult, 'SUCCESS');
  assert.deepEqual(await stage.unexpected(), []);
});
