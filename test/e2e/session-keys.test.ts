import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, test, before, after, afterEach } from 'node:test';
import { drained } from './books.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** The invented second bank: 101 in field 70 requests a key; the answer has it in field 120 in hexadecimal. */
const dialect = fileURLToPath(new URL('../../fixtures/dialects/second-bank.json', import.meta.url));

const bankOf = ({ acquirers }: Json): Json => acquirers.find(({ id }: Json) => id === 'BANK');

for (const algorithm of ['iso9797-3', 'aesCmac'] as const) {
  describe(`a bank that sends the key of ${algorithm}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open({ flags: ['--dialect', dialect, '--mac', algorithm, '--mac-key', 'session'] });
    });
    after(() => stage.close());
    afterEach(async () => {
      assert.deepEqual(await stage.unexpected(), []);
    });

    const sale = async (requestAmount: number) => (await stage.paid('visa', { requestAmount })).body;
    const lastOfLedger = async (): Promise<Json> => (await stage.ledger('BANK')).at(-1) ?? {};
    test('sells, voids and settles', async () => {
      const sold = await sale(7);
      assert.equal(sold.responseResult, 'SUCCESS', JSON.stringify(sold));
      assert.equal(sold.transactionResult.acquirerId, 'BANK');
      const request = { transactionType: 'VOID', originalTerminalTransactionId: sold.terminalTransactionId };
      const { body: voided } = await stage.payment(stage.saleRequest({ ...request, requestAmount: 7 }));
      assert.equal(voided.responseResult, 'SUCCESS', JSON.stringify(voided));
      assert.equal((await sale(8)).responseResult, 'SUCCESS');
      const { body } = await stage.settle({ acquirer: 'BANK' });
      assert.equal(body.settlements[0].result, 'BALANCED', JSON.stringify(body));
    });

    test('after a restart it has a new key', async () => {
      await stage.stopDaemon('SIGTERM');
      await stage.startDaemon();
      assert.equal((await sale(9)).responseResult, 'SUCCESS');
    });

    test('a host that says that it has another key declines once, and sends its key', async () => {
      await stage.host('BANK', { keysOutOfStep: 'announced' });
      const { responseResult, reason, financialImpact, hostCode } = await sale(10);
      assert.deepEqual([responseResult, reason, financialImpact, hostCode], ['ERROR', 'hostTrouble', 'NONE', '88']);
      assert.equal((await sale(11)).responseResult, 'SUCCESS');
      assert.equal((await lastOfLedger())['amount'], '11.00');
    });

    test('a host that has forgotten the key says so under another one: that is no answer', async () => {
      await stage.host('BANK', { keysOutOfStep: 'forgotten' });
      const lost = await sale(12);
      assert.equal(lost.responseResult, 'ERROR', JSON.stringify(lost));
      await stage.host('BANK', {});
      await drained(stage);
      assert.equal((await stage.enquiry(lost)).body.financialImpact, 'REVERSED');
      assert.equal((await sale(13)).responseResult, 'SUCCESS');
      assert.equal(bankOf(await stage.status()).lineFault, undefined);
      assert.equal((await lastOfLedger())['amount'], '13.00');
    });

    for (const [manner, reason] of [
      ['refused', 'keyExchangeRefused'],
      ['silent', 'keyExchangeNotAnswered'],
      ['wrongCheckValue', 'keyCheckFailed'],
    ] as const) {
      test(`keyExchange ${manner}: no card is taken, and the status says ${reason}`, async () => {
        // The answer to the sale reports another key. The exchange that follows fails.
        await stage.host('BANK', { keyExchange: manner, keysOutOfStep: 'announced' });
        assert.equal((await sale(14)).reason, 'hostTrouble');
        const refused = await sale(14);
        assert.deepEqual(
          [refused.responseResult, refused.reason, refused.financialImpact],
          ['ERROR', 'notSignedOn', 'NONE'],
          JSON.stringify(refused),
        );
        const fault = async () => bankOf(await stage.status()).lineFault;
        await eventually(fault, (each: Json) => each?.['reason'] === reason);
        await stage.host('BANK', {});
        await eventually(
          () => sale(15),
          ({ responseResult }: Json) => responseResult === 'SUCCESS',
        );
        assert.equal(await fault(), undefined);
      });
    }
  });
}
