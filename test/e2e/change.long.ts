import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  byCard,
  byCash,
  byEps,
  byOctopus,
  byScannedCode,
  byShownCode,
  choose,
  type Mode,
  modes,
  shown,
  type Way,
} from './customer.ts';
import { armed, type Begun, eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { printer: undefined } });
});
after(() => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

interface Counter {
  /** What waits for the customer. */
  readonly waits: string;
  readonly way: Way;
}

const counters: Readonly<Record<Mode, Counter>> = {
  CARD: { waits: 'reader', way: byCard('visa', 'insert') },
  QR_SCAN: { waits: 'scanner', way: byScannedCode('WECHAT') },
  QR_PRESENT: { waits: 'code', way: byShownCode('ALIPAY') },
  OCTOPUS: { waits: 'octopus', way: byOctopus() },
  EPS: { waits: 'reader', way: byEps() },
  CASH: { waits: '', way: byCash() },
};

/** The page shows this mode, and its device waits alone. */
async function waiting(mode: Mode): Promise<void> {
  await eventually(
    async () => armed(await stage.bench()).join(),
    (armedNow) => armedNow === counters[mode].waits,
  );
}

async function chosen(mode: Mode): Promise<Json> {
  const view = await choose(stage, mode);
  await waiting(mode);
  return view;
}

/** Everything that stands in anybody's books. */
async function postings(): Promise<string[]> {
  const books = [];
  for (const id of ['EDC', 'CUP', 'EPS', 'QR'] as const) {
    books.push(...(await stage.posted(id)).map(({ kind }) => `${id} ${kind}`));
  }
  return [...books, ...(await stage.octopusLedger()).map(({ status }) => `OCTOPUS ${status}`)];
}

/**
 * Looks at the devices all the while: no two of them ever wait at once. A scanner acknowledges nothing, so it may
 * still be seen lit when the next device is armed: the byte that darkens it has left, and is on its way.
 */
async function watchingDevices(work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const waits = armed(await stage.bench());
      assert.ok(waits.filter((each) => each !== 'scanner').length <= 1, `armed at once: ${waits.join(', ')}`);
    }
  })();
  watching.catch(() => undefined);
  await work().finally(() => over.abort());
  await watching;
}

async function assertCancelled({ answer }: Begun): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(body.responseCode, 107);
  assert.equal(body.financialImpact, 'NONE');
  await stage.assertDisarmed();
  assert.deepEqual(await postings(), []);
}

describe('another way to pay is chosen on the page', () => {
  for (const from of modes) {
    for (const to of modes.filter((each) => each !== from)) {
      test(`${from}, then ${to}: the first is disarmed before the second is armed, and is paid by the second alone`, async () => {
        await watchingDevices(async () => {
          const { answer } = stage.begun();
          await chosen(from);
          await chosen(to);
          const { way } = counters[to];
          await way.present(stage);
          const { body } = await answer;
          assert.equal(body.responseResult, 'SUCCESS', body.message);
          assert.equal(body.transactionResult.paymentMethod, way.method);
          assert.deepEqual(
            (await postings()).map((line) => line.split(' ')[0]),
            to === 'CASH' ? [] : [way.acquirer],
          );
        });
      });
    }
  }

  for (const scene of ['chooseAccount', 'enterPin', 'enterPin again'] as const) {
    for (const to of modes.filter((each) => each !== 'EPS')) {
      test(`EPS in ${scene}, then ${to}: the card that was drawn through is not charged`, async () => {
        const { answer } = stage.begun({ preferredInstrument: 'EPS' });
        await shown(stage, 'EPS');
        await stage.swipe('eps');
        await stage.view((view) => view.scene === 'chooseAccount');
        if (scene !== 'chooseAccount') {
          await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
          await stage.view((view) => view.scene === 'enterPin');
        }
        if (scene === 'enterPin again') {
          await stage.enterPin('0000');
          await stage.view(({ hint }) => hint === 'wrongPin');
        }
        await chosen(to);
        const { way } = counters[to];
        await way.present(stage);
        const { body } = await answer;
        assert.equal(body.responseResult, 'SUCCESS', body.message);
        assert.equal(body.transactionResult.paymentMethod, way.method);
        assert.deepEqual(
          (await postings()).map((line) => line.split(' ')[0]),
          to === 'CASH' ? [] : [way.acquirer],
        );
      });
    }
  }

  test('several changes in a row, and back to the first', async () => {
    await watchingDevices(async () => {
      const { answer } = stage.begun();
      for (const mode of [...modes, ...modes.toReversed().slice(1)]) await chosen(mode);
      await stage.tap('mastercard');
      assert.equal((await answer).body.responseResult, 'SUCCESS');
    });
    assert.deepEqual(await postings(), ['EDC SALE']);
  });

  test('a method that is not offered, or belongs to another payment, changes nothing', async () => {
    const { answer } = stage.begun({ forceAcquirer: 'EDC' });
    const { transaction } = await shown(stage, 'CARD');
    await stage.action(transaction, { kind: 'choose', mode: 'CASH' });
    await stage.action('01ARZ3NDEKTSV4RRFFQ69G5FAV', { kind: 'cancel' });
    await stage.action(transaction, { kind: 'tender', amount: '30' });
    await stage.action(transaction, { kind: 'account', account: 'SAVINGS' });
    await stage.tap('visa');
    assert.equal((await answer).body.responseResult, 'SUCCESS');
  });

  test('too little cash is asked for again', async () => {
    const { answer } = stage.begun({ preferredEntryMode: 'CASH' });
    const { transaction } = await shown(stage, 'CASH');
    for (const amount of ['29.99', '30.001', '0']) await stage.action(transaction, { kind: 'tender', amount });
    await shown(stage, 'CASH');
    await stage.action(transaction, { kind: 'tender', amount: '100.50' });
    const { transactionResult } = (await answer).body;
    assert.deepEqual([transactionResult.tenderedAmount, transactionResult.changeAmount], [100.5, 70.5]);
    assert.equal(transactionResult.totalAmount, 30);
  });
});

describe('another wallet’s code', () => {
  const wallets = ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'];
  for (const from of wallets) {
    for (const to of wallets.filter((each) => each !== from)) {
      test(`${from}, then ${to}: the first can’t be paid any more`, async () => {
        const { answer } = stage.begun({ preferredEntryMode: 'QR_PRESENT', preferredInstrument: from });
        const first = await stage.view(({ wallet, code }) => wallet === from && code);
        assert.deepEqual(first.wallets.toSorted(), wallets.toSorted());
        await stage.action(first.transaction, { kind: 'wallet', scheme: to });
        const second = await stage.view(({ wallet, code }) => wallet === to && code);
        assert.notEqual(second.code, first.code);
        const { status, body } = await stage.sim('POST', '/api/wallet/pay', { qr: first.code, holdMs: 1 });
        assert.equal(status, 409);
        assert.match(body.error, /closed/);
        await stage.payCode(second.code);
        assert.equal((await answer).body.transactionResult.paymentMethod, to);
        assert.deepEqual(await postings(), ['QR SALE']);
      });
    }
  }

  test('paid while it is being changed: the payment stands, or the new code is there', async () => {
    for (const pauseMs of [0, 1, 2, 4, 8]) {
      const { answer } = stage.begun({ preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'ALIPAY' });
      const { transaction, code } = await stage.view((view) => view.code);
      const changed = stage.action(transaction, { kind: 'wallet', scheme: 'FPS' });
      await pause(pauseMs);
      const { status } = await stage.sim('POST', '/api/wallet/pay', { qr: code, holdMs: 1 });
      await changed;
      if (status !== 200) {
        const fps = await stage.view(({ wallet, code: shownCode }) => wallet === 'FPS' && shownCode);
        await stage.payCode(fps.code);
      }
      const { transactionResult } = (await answer).body;
      assert.equal(transactionResult.paymentMethod, status === 200 ? 'ALIPAY' : 'FPS');
    }
    assert.equal((await postings()).length, 5);
  });
});

describe('cancelled', () => {
  for (const mode of modes) {
    test(`${mode} by the POS: answered once the terminal is idle and nothing waits`, async () => {
      const begun = stage.begun();
      await chosen(mode);
      const cancel = await stage.cancel(begun.request);
      assert.equal(cancel.status, 200, JSON.stringify(cancel.body));
      assert.equal((await stage.status()).state, 'idle');
      await assertCancelled(begun);
    });

    test(`${mode} on the page`, async () => {
      const begun = stage.begun();
      const { transaction, cancellable } = await chosen(mode);
      assert.equal(cancellable, true);
      await stage.action(transaction, { kind: 'cancel' });
      await assertCancelled(begun);
    });
  }

  test('before anything was chosen', async () => {
    const begun = stage.begun();
    const { transaction } = await stage.view(({ scene }) => scene === 'chooseMethod');
    await stage.action(transaction, { kind: 'cancel' });
    await assertCancelled(begun);
  });

  for (const scene of ['chooseAccount', 'enterPin']) {
    for (const by of ['POS', 'page']) {
      test(`EPS by the ${by} in ${scene}`, async () => {
        const begun = stage.begun({ preferredInstrument: 'EPS' });
        await stage.swipe('eps');
        if (scene === 'enterPin') await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
        const { transaction } = await stage.view((view) => view.scene === scene);
        if (by === 'page') await stage.action(transaction, { kind: 'cancel' });
        else assert.equal((await stage.cancel(begun.request)).status, 200);
        await assertCancelled(begun);
      });
    }
  }
});

/** How the customer's card or code gets there just as the merchant changes his mind. */
const late: Readonly<Record<Exclude<Mode, 'CASH'>, () => Promise<{ status: number }>>> = {
  CARD: () => stage.sim('POST', '/api/reader/tap', { card: 'visa', holdMs: 40 }),
  EPS: () => stage.sim('POST', '/api/reader/swipe', { card: 'eps', holdMs: 40 }),
  QR_SCAN: async () => stage.sim('POST', '/api/scanner/scan', { code: await stage.walletCode('ALIPAY'), holdMs: 40 }),
  QR_PRESENT: () => stage.sim('POST', '/api/wallet/pay', { holdMs: 40 }),
  OCTOPUS: () => stage.sim('POST', '/api/octopus/tap', { card: 'octopus', holdMs: 40 }),
};

describe('a card or a code that is presented too late', () => {
  for (const [mode, present] of Object.entries(late) as [Mode, () => Promise<{ status: number }>][]) {
    test(`${mode}: ignored once another method is on the screen`, async () => {
      const begun = stage.begun();
      await chosen(mode);
      await chosen('CASH');
      assert.equal((await present()).status, 409);
      assert.deepEqual(await postings(), []);
      assert.equal((await stage.cancel(begun.request)).status, 200);
      await assertCancelled(begun);
    });

    test(`${mode} at the same moment as a change: charged and told, or neither`, async () => {
      for (const pauseMs of [0, 1, 2, 3, 5, 8]) {
        await stage.sim('POST', '/api/reset', {});
        const { answer } = stage.begun();
        const { transaction } = await chosen(mode);
        const presented = present();
        await pause(pauseMs);
        await stage.action(transaction, { kind: 'choose', mode: 'CASH' });
        const isThere = ({ scene: each }: Json) => ['tenderCash', 'chooseAccount', 'approved'].includes(each);
        let view = await stage.view((each) => isThere(each) || each.hint === 'presentAgain');
        if (!isThere(view)) {
          // The card was gone before its deduction: the change came too late for that one, and is made for the next.
          await stage.action(transaction, { kind: 'choose', mode: 'CASH' });
          view = await stage.view(isThere);
        }
        const { scene, mode: now } = view;
        await presented;
        if (scene === 'chooseAccount' && now === 'EPS') await stage.action(transaction, { kind: 'cancel' });
        if (scene === 'tenderCash') await stage.action(transaction, { kind: 'tender', amount: '30' });
        const { body } = await answer;
        const charged = (await postings()).length;
        if (body.responseResult === 'SUCCESS') {
          assert.equal(charged, body.transactionResult.paymentMethod === 'CASH' ? 0 : 1);
        } else assert.equal(charged, 0, JSON.stringify(body));
      }
    });

    test(`${mode} at the same moment as a cancel: charged and told, or neither`, async () => {
      for (const pauseMs of [0, 1, 2, 3, 5, 8]) {
        await stage.sim('POST', '/api/reset', {});
        const { request, answer } = stage.begun();
        await chosen(mode);
        const presented = present();
        await pause(pauseMs);
        await stage.cancel(request);
        await presented;
        const { body } = await answer;
        assert.equal((await postings()).length, body.responseResult === 'SUCCESS' ? 1 : 0, JSON.stringify(body));
        await stage.assertDisarmed();
      }
    });
  }
});
