import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

const [first, second] = ['EDC', 'EDC-2'] as const;

async function opened(t: TestContext, books: 'shared' | 'separate') {
  const stage = await Stage.open({ hosts: ['EDC'], flags: ['--sites', books] });
  t.after(() => stage.close());
  const secondBooks = () => stage.ledger(second);
  const mode = (site: typeof first | typeof second, fault: Json) => stage.host(site, fault);
  const edc = async (): Promise<Json> => (await stage.status()).acquirers.find(({ id }: Json) => id === 'EDC');
  const inUse = async () => (await edc()).sites.findIndex(({ inUse: isUsed }: Json) => isUsed);
  const sold = async () => {
    const { body } = await stage.paid('visa');
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
  };
  /** Makes a sale that the first site posts. Then its connection is cut, and nothing listens at its address. */
  const lost = async () => {
    await mode(first, { mode: 'silent' });
    const { answer } = stage.begun();
    await stage.tap('visa');
    await eventually(
      () => stage.ledger(),
      (all) => all.length === 1,
    );
    await mode(first, { mode: 'down' });
    const { body } = await answer;
    assert.equal(body.responseResult, 'ERROR', JSON.stringify(body));
  };
  return { stage, mode, secondBooks, edc, inUse, sold, lost };
}

const marks = (entries: readonly Json[]) => entries.map(({ site, status }) => `${site} ${status}`);

describe('two sites with shared books', () => {
  test('payments go to the second while the first is gone, and to the first again; one settlement', async (t) => {
    const { stage, mode, edc, inUse, sold } = await opened(t, 'shared');
    await sold();
    await mode(first, { mode: 'down' });
    await sold();
    const { sites } = await edc();
    assert.deepEqual(
      sites.map(({ inUse: isUsed, fault }: Json) => [isUsed, fault?.reason]),
      [
        [false, 'unreachable'],
        [true, undefined],
      ],
    );
    assert.match(stage.log, /"site":"127.0.0.1:\d+"/);
    await mode(first, {});
    await eventually(inUse, (at) => at === 0);
    await sold();
    assert.deepEqual(marks(await stage.ledger()), ['EDC POSTED', 'EDC-2 POSTED', 'EDC POSTED']);
    const { body } = await stage.settle({ acquirer: 'EDC' });
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    assert.deepEqual(await stage.unexpected(), []);
  });

  test('the answer of the first is lost with it: the second takes the reversal', async (t) => {
    const { stage, lost, sold } = await opened(t, 'shared');
    await lost();
    await eventually(
      () => stage.ledger(),
      (all) => marks(all).join() === 'EDC REVERSED',
    );
    await sold();
    assert.deepEqual(marks(await stage.ledger()), ['EDC REVERSED', 'EDC-2 POSTED']);
    assert.equal((await stage.status()).pendingReversals, 0);
  });

  test('the first accepts and is silent: payments go on, and its own word ends the reversal', async (t) => {
    const { stage, mode, sold } = await opened(t, 'shared');
    await mode(first, { siteFault: 'siteSilent' });
    assert.equal((await stage.paid('visa')).body.responseResult, 'ERROR');
    // The first site does not answer the reversal either, and the second has no record of the sale.
    await eventually(
      async () => (await stage.paid('visa')).body.responseResult as string,
      (result) => result === 'SUCCESS',
    );
    assert.equal((await stage.status()).pendingReversals, 1, 'only the second has spoken');
    await mode(first, {});
    await eventually(
      async () => (await stage.status()).pendingReversals as number,
      (count) => count === 0,
    );
    await sold();
    const posted = marks(await stage.ledger());
    assert.deepEqual([...new Set(posted.slice(0, -1))], ['EDC-2 POSTED']);
    assert.equal(posted.at(-1), 'EDC POSTED');
  });
});

describe('two sites with their own books', () => {
  test('the answer of the first is lost with it: its reversal waits, and nothing goes to the second', async (t) => {
    const { stage, mode, secondBooks, lost, sold } = await opened(t, 'separate');
    await lost();
    const { body } = await stage.paid('visa');
    assert.equal(body.responseResult, 'ERROR', JSON.stringify(body));
    assert.equal((await stage.status()).pendingReversals, 1);
    assert.deepEqual([await secondBooks(), await stage.unexpected()], [[], []]);
    await mode(first, {});
    await eventually(
      () => stage.ledger(),
      (all) => marks(all).join() === 'EDC REVERSED',
    );
    await sold();
    assert.deepEqual(await secondBooks(), []);
  });

  test('the second is used while nothing is unsettled, also after a restart, until its batch is settled', async (t) => {
    const { stage, mode, secondBooks, inUse, sold } = await opened(t, 'separate');
    await mode(first, { mode: 'down' });
    await sold();
    await mode(first, {});
    await stage.stopDaemon('SIGKILL');
    await stage.startDaemon();
    await sold();
    assert.equal(await inUse(), 1);
    const { body } = await stage.settle({ acquirer: 'EDC' });
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    await sold();
    assert.equal(await inUse(), 0);
    assert.deepEqual(
      (await secondBooks()).map(({ settled }) => settled),
      [true, true],
    );
    assert.deepEqual(marks(await stage.ledger()), ['EDC POSTED']);
    assert.deepEqual(await stage.unexpected(), []);
  });
});
