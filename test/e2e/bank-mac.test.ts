import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, test, before, after, afterEach } from 'node:test';
import { drained } from './books.ts';
import { type Json, Stage } from './stage.ts';

/** The invented second bank: ASCII and a hexadecimal bitmap, so the code is in field 128 in hexadecimal. */
const dialect = fileURLToPath(new URL('../../fixtures/dialects/second-bank.json', import.meta.url));

const bankOf = ({ acquirers }: Json): Json => acquirers.find(({ id }: Json) => id === 'BANK');

describe('a bank of a dialect file whose messages have a code', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ flags: ['--dialect', dialect, '--mac', 'iso9797-3'] });
  });
  after(() => stage.close());
  afterEach(async () => {
    assert.deepEqual(await stage.unexpected(), []);
  });

  test('sells, voids and settles', async () => {
    const { body: sold } = await stage.paid('visa', { forceAcquirer: 'BANK', requestAmount: 7 });
    assert.equal(sold.responseResult, 'SUCCESS', JSON.stringify(sold));
    const request = { transactionType: 'VOID', originalTerminalTransactionId: sold.terminalTransactionId };
    const { body: voided } = await stage.payment(stage.saleRequest({ ...request, requestAmount: 7 }));
    assert.equal(voided.responseResult, 'SUCCESS', JSON.stringify(voided));
    assert.equal((await stage.paid('visa', { requestAmount: 8 })).body.responseResult, 'SUCCESS');
    const { body } = await stage.settle({ acquirer: 'BANK' });
    assert.equal(body.settlements[0].result, 'BALANCED', JSON.stringify(body));
  });

  test('the last field of each message is 128, sign-ons among them', async () => {
    const { frames } = (await stage.sim('GET', '/api/wires?line=BANK')).body;
    const types = new Map<string, Json>();
    for (const frame of frames) types.set(frame.summary.slice(0, 4), frame);
    for (const type of ['0200', '0210', '0500', '0510', '0800', '0810']) {
      const { fields } = (await stage.sim('GET', `/api/wires/${types.get(type)?.['id']}`)).body;
      assert.match(fields.at(-1).name, /^128\b/, `${type}: ${JSON.stringify(fields.at(-1))}`);
    }
  });

  test('a code of another key is none, and the sale is reversed', async () => {
    await stage.host('BANK', { wrongMac: true });
    const { body } = await stage.paid('visa', { requestAmount: 9 });
    assert.equal(body.financialImpact, 'REVERSAL_PENDING', JSON.stringify(body));
    assert.equal(bankOf(await stage.status()).lineFault.reason, 'macNotValid');
    await stage.host('BANK', {});
    await drained(stage);
    const ledger: Json[] = await stage.ledger('BANK');
    assert.equal(ledger.at(-1)?.['status'], 'REVERSED');
  });
});
