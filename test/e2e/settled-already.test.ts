import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { drained } from './books.ts';
import { eventually, type HttpAnswer, Stage } from './stage.ts';

/** A host that counts what it has settled twice, or refuses it: docs/simulator.md. */
let stage: Stage;
before(async () => {
  stage = await Stage.open({
    hosts: ['EDC'],
    acquirer: { replyTimeoutMs: 300 },
    configuration: { printer: undefined },
  });
});
after(() => stage.close());
afterEach(async () => {
  await stage.host('EDC', {});
  assert.deepEqual(await stage.unexpected(), []);
  // What is open at both sides is settled: the next test begins with books that agree.
  await drained(stage);
  assert.equal((await stage.settle()).body.responseResult, 'SUCCESS');
  assert.ok(
    (await stage.ledger()).every(({ timesSettled }) => timesSettled === undefined),
    'settled twice',
  );
  await stage.sim('POST', '/api/reset', {});
});

function succeeded({ body }: HttpAnswer): void {
  assert.equal(body.responseResult, 'SUCCESS', body.message);
}

describe('settled already', () => {
  for (const settled of ['countedTwice', 'refused']) {
    test(`${settled}: an unanswered settlement, and a sale after it: each in one batch`, async () => {
      succeeded(await stage.paid('visa'));
      await stage.host('EDC', { mode: 'silent', settlement: true, settled });
      assert.notEqual((await stage.settle()).body.responseResult, 'SUCCESS');
      await stage.host('EDC', { settled });
      succeeded(await stage.paid('amex', { requestAmount: 20 }));
      await eventually(
        () => stage.settle(),
        ({ body }) => body.responseResult === 'SUCCESS',
      );
      const ledger = await stage.ledger();
      assert.deepEqual(
        ledger.map(({ amount, settled: done, timesSettled = 1 }) => [amount, done, timesSettled]),
        [
          ['30.00', true, 1],
          ['20.00', true, 1],
        ],
      );
    });
  }

  test('in one of two currencies: the other is settled, and nothing twice', async () => {
    succeeded(await stage.paid('visa'));
    succeeded(await stage.paid('visa', { requestAmount: 1000, currency: 'JPY' }));
    await stage.host('EDC', { mode: 'silent', settlement: true, settled: 'countedTwice' });
    assert.notEqual((await stage.settle()).body.responseResult, 'SUCCESS');
    await stage.host('EDC', { settled: 'countedTwice' });
    await eventually(
      () => stage.settle(),
      ({ body }) => body.responseResult === 'SUCCESS',
    );
    const times = (await stage.ledger()).map(({ settled, timesSettled = settled ? 1 : 0 }) => timesSettled);
    assert.deepEqual(times, [1, 1]);
  });
});
