import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test, before, after, afterEach } from 'node:test';
import { openFalseHost } from './false-host.ts';
import { eventually, type Json, Stage } from './stage.ts';

const edcOf = ({ acquirers }: Json): Json => acquirers.find(({ id }: Json) => id === 'EDC');

for (const algorithm of ['iso9797-3', 'aesCmac'] as const) {
  describe(`messages with a code, ${algorithm}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open({ hosts: ['EDC'], flags: ['--mac', algorithm] });
    });
    after(() => stage.close());
    afterEach(async () => {
      assert.deepEqual(await stage.unexpected(), []);
      await stage.sim('POST', '/api/reset', {});
    });

    test('a sale, its void and a settlement', async () => {
      const { body: sold } = await stage.paid('visa');
      assert.equal(sold.responseResult, 'SUCCESS');
      const request = { transactionType: 'VOID_SALE', originalTerminalTransactionId: sold.terminalTransactionId };
      const { body: voided } = await stage.payment({ ...stage.named(), ...request });
      assert.equal(voided.responseResult, 'SUCCESS', JSON.stringify(voided));
      assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
      assert.equal((await stage.settle({ acquirer: 'EDC' })).body.responseResult, 'SUCCESS');
    });

    test('an approval with a wrong code is none: it is reversed, and the status says why', async () => {
      await stage.host('EDC', { wrongMac: true });
      const { body } = await stage.paid('visa');
      assert.equal(body.responseResult, 'ERROR');
      assert.equal(body.financialImpact, 'REVERSAL_PENDING');
      assert.equal(edcOf(await stage.status()).lineFault.reason, 'macNotValid');
      await stage.host('EDC', {});
      assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
      assert.deepEqual(
        (await stage.ledger()).map((entry) => entry.status),
        ['REVERSED', 'POSTED'],
      );
      assert.equal(edcOf(await stage.status()).lineFault, undefined);
    });
  });
}

test('without TLS too: somebody on the way who does not have the key approves nothing', async () => {
  const stage = await Stage.open({ hosts: ['EDC'], flags: ['--mac', 'aesCmac', '--plain-hosts'] });
  const attacker = await openFalseHost();
  try {
    await stage.stopDaemon('SIGTERM');
    const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
    const [edc] = configuration.acquirers;
    await writeFile(
      stage.configuration,
      JSON.stringify({ ...configuration, acquirers: [{ ...edc, port: attacker.port }] }),
    );
    await stage.startDaemon();
    const { body } = await stage.paid('visa');
    assert.equal(body.responseResult, 'ERROR');
    assert.equal(attacker.read[0], '0200');
    await eventually(
      async () => edcOf(await stage.status()),
      ({ lineFault }) => lineFault?.reason === 'macNotValid',
    );
  } finally {
    await stage.close();
    await attacker.close();
  }
});
