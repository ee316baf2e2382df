import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { commitment, comparisonCode, rawPublicKey } from '../../src/pos/pairing/transcript.ts';
import { password, poid } from '../e2e/operator.ts';
import { eventually } from '../e2e/stage.ts';
import { type Counter, counters, menuCounters, ProductPage } from './product-page.ts';
import { productOfTests } from './product-stage.ts';

async function unlocked(shown: ProductPage): Promise<void> {
  await shown.press('menu');
  await shown.type(...password.split(''));
  await shown.press('ok');
  await shown.page.waitForSelector('[data-action="settle"]');
}

/** Hosts are silent here, and nobody looks at how that is waited for. */
const hasty = { replyTimeoutMs: 3_000 };

describe('the operator’s menu', () => {
  const operator = { unlinkedRefund: { HKD: 50_000 } };
  const product = productOfTests({ screen: { outcomeMs: 1_500 }, http: { tls: false }, operator }, hasty);

  test('offers nothing without a password, and then what it asks for', async (t) => {
    const shown = await ProductPage.open(product);
    await shown.flow(t, 'operator-none');
    t.after(() => shown.close());
    await shown.press('menu');
    await shown.page.waitForSelector('#hint:not(:empty)');
    assert.match(await shown.text('hint'), /No operator password/);
    assert.equal(await shown.page.locator('[data-key]').count(), 0);
    await shown.picture('no-password');
  });

  for (const counter of menuCounters) {
    test(`${counter.size}, ${counter.language}: the paper is out, and a receipt is printed again`, async (t) => {
      const { stage } = product;
      assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
      await stage.sim('POST', '/api/printer/fault', { paperOut: true });
      t.after(() => stage.sim('POST', '/api/printer/fault', { paperOut: false }));
      await stage.paid('visa', { requestAmount: 12.5 });
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'operator-receipts');
      t.after(() => shown.close());
      await shown.sees('idle');
      await shown.page.waitForSelector('[data-action="receipts"]');
      await shown.picture('held-up');
      await shown.press('receipts');
      await shown.type(...password.split(''));
      await shown.press('ok');
      await shown.page.waitForSelector('.row');
      await shown.picture('receipts');
      await shown.tap('.row:first-child');
      await shown.page.waitForSelector('#hint:not(:empty)');
      await shown.picture('not-printed');
      await shown.press('to-menu');
      await stage.sim('POST', '/api/printer/fault', { paperOut: false });
      await shown.press('receipt');
      await shown.page.waitForSelector('.row');
      await stage.sim('DELETE', '/api/printer/paper');
      await shown.tap('.row:first-child');
      await shown.page.locator('#title', { hasText: /^(?:Printed|已列印)$/ }).waitFor();
      assert.notEqual(await stage.paper(), '');
      await shown.press('to-menu');
      await shown.press('leave');
      assert.equal(await shown.page.locator('[data-action="receipts"]').count(), 0);
    });

    test(`${counter.size}, ${counter.language}: a void, a refund, the queue and the settlement`, async (t) => {
      const { stage } = product;
      assert.equal((await poid(stage, ['operator-password'], password)).code, 0);
      await stage.paid('visa');
      await stage.paid('visa', { requestAmount: 12.5 });
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'operator');
      t.after(() => shown.close());
      await shown.sees('idle');

      await shown.press('menu');
      await shown.tap('[data-key="1"]');
      await shown.picture('password');
      await shown.type('0', '0', '0', '0', '0');
      await shown.press('ok');
      await shown.page.waitForSelector('#hint:not(:empty)');
      await shown.picture('wrong');
      await shown.press('leave');
      await unlocked(shown);
      await shown.picture('menu');

      await shown.press('about');
      await shown.picture('about');
      await shown.press('back');

      await shown.press('today');
      await shown.page.waitForSelector('.row');
      await shown.picture('today');
      await shown.tap('.row:first-child');
      await shown.page.waitForSelector('[data-action="VOID"]');
      await shown.picture('one');
      await shown.press('story');
      await shown.page.waitForSelector('#facts');
      await shown.picture('story');
      await shown.press('back');
      await shown.press('VOID');
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /^HKD 12\.50 · VISA •\d{4}$/);
      await shown.picture('void-sure');
      await shown.press('yes');
      await shown.sees('approved');
      await shown.leavesOutcome();
      await shown.page.waitForSelector('[data-action="back"]');
      await shown.picture('void-done');
      assert.equal((await stage.posted()).length, 1);
      await shown.press('back');
      await shown.page.waitForSelector('#waits');
      assert.equal(await shown.page.locator('[data-action="VOID"]').count(), 0);
      await shown.picture('voided');

      await shown.press('back');
      await shown.press('back');
      await shown.press('refund');
      await shown.type('5', '.', '5');
      await shown.picture('refund');
      await shown.press('ok');
      await shown.page.waitForSelector('[data-action="yes"]');
      await shown.picture('refund-sure');
      await shown.press('yes');
      await stage.tap('visa');
      await shown.sees('approved');
      await shown.press('to-menu');
      await shown.page.waitForSelector('[data-action="settle"]');

      await shown.press('settle');
      await shown.page.waitForSelector('[data-acquirer="EDC"]');
      await shown.picture('settle');
      await shown.press('all');
      await shown.press('yes');
      await shown.page.waitForSelector('#facts');
      await shown.picture('settled');
      const { acquirers } = await stage.status();
      assert.equal(acquirers.find(({ id }: { id: string }) => id === 'EDC').openBatch > 1, true);
      await shown.press('to-menu');
      await shown.press('leave');
      await shown.page.waitForSelector('[data-action="menu"]');
    });
  }

  test('an idle screen says what waits for the bank', async (t) => {
    const { stage } = product;
    await stage.host('EDC', { mode: 'silent', reversals: true });
    const shown = await ProductPage.open(product);
    await shown.flow(t, 'operator-queue');
    t.after(() => shown.close());
    const { answer } = stage.begun();
    await stage.tap('visa');
    await answer;
    await shown.page.waitForSelector('#waiting');
    assert.match(await shown.text('waiting'), /Waiting for the bank: 1$/);
    await shown.picture('waiting');
    await stage.host('EDC', { mode: 'up' });
    await eventually(
      () => stage.status(),
      ({ pendingReversals }) => pendingReversals === 0,
      45_000,
    );
    await eventually(
      async () => shown.page.locator('body').innerText(),
      (text) => !text.includes('Waiting for the bank'),
    );
  });
});

describe('what waits for the bank', () => {
  const product = productOfTests({ screen: { outcomeMs: 1_500 }, http: { tls: false } }, hasty);
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  /** A payment that the host has, and of which it refuses the reversal or answers nothing at all. */
  async function waiting(refused: boolean): Promise<void> {
    const { stage } = product;
    const trouble = refused
      ? { mode: 'closeAfterRequest', refuseReversals: '96' }
      : { mode: 'silent', reversals: true };
    await stage.host('EDC', trouble);
    await stage.paid('visa', { requestAmount: 1234.5 });
    await eventually(
      () => stage.status(),
      ({ pendingReversals }) => pendingReversals === 1,
    );
  }

  async function setAside(): Promise<string[]> {
    const { acquirers } = await product.stage.status();
    return acquirers.find(({ id }: { id: string }) => id === 'EDC').setAside;
  }

  for (const [index, counter] of counters.entries()) {
    test(`${counter.size}, ${counter.language}: the bank is called, and what it says is written down`, async (t) => {
      const { stage } = product;
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'bank');
      t.after(() => shown.close());
      const before = await setAside();
      await waiting(true);
      await shown.sees('idle');
      await unlocked(shown);
      await shown.press('bank');
      await shown.page.waitForSelector('.row');
      await shown.picture('list');
      await shown.tap('.row');
      await shown.page.waitForSelector('#facts');
      await shown.page.waitForSelector('[data-action="POSTED"]');
      assert.match((await shown.page.textContent('#facts')) ?? '', /HKD 1,234\.50.*96/);
      await shown.picture('one');
      const outcome = index % 2 === 0 ? 'POSTED' : 'NOT_POSTED';
      await shown.press(outcome);
      await shown.page.waitForSelector('[data-action="yes"]');
      assert.match(await shown.text('hint'), /1,234\.50/);
      await shown.picture('sure');
      await shown.press('no');
      await shown.page.waitForSelector('[data-action="bank"]');
      assert.equal((await stage.status()).pendingReversals, 1, 'No does nothing');
      await shown.press('bank');
      await shown.tap('.row');
      await shown.press(outcome);
      await shown.press('yes');
      await shown.page.waitForSelector('[data-action="to-menu"]');
      await shown.picture('done');
      assert.equal((await stage.status()).pendingReversals, 0);
      assert.equal((await setAside()).length, before.length + 1);
      await shown.press('to-menu');
      await shown.press('bank');
      await shown.page.waitForSelector('#hint:not(:empty)');
      await shown.picture('nothing');
      await shown.press('back');
      await shown.press('leave');
    });
  }

  for (const counter of menuCounters) {
    test(`${counter.size}, ${counter.language}: what its host may still take is not set aside, and the page says why`, async (t) => {
      const { stage } = product;
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'bank-early');
      t.after(() => shown.close());
      await waiting(false);
      await shown.sees('idle');
      await unlocked(shown);
      await shown.press('bank');
      await shown.tap('.row');
      await shown.page.waitForSelector('#facts');
      assert.match(await shown.text('hint'), /30/);
      assert.equal(await shown.page.locator('.tile').count(), 0);
      await shown.picture('early');
      await stage.host('EDC', { mode: 'up' });
      await eventually(
        () => stage.status(),
        ({ pendingReversals }) => pendingReversals === 0,
        45_000,
      );
    });
  }
});

describe('the screen of a terminal that speaks HTTPS', () => {
  const product = productOfTests({ http: { tls: true } });
  for (const counter of menuCounters) {
    test(`${counter.size}, ${counter.language}: shows its fingerprint to whoever asks, without a password`, async (t) => {
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'fingerprint');
      t.after(() => shown.close());
      await shown.press('menu');
      await shown.press('about');
      await shown.page.waitForSelector('[data-fact="fingerprint"]');
      const said = await shown.page.textContent('[data-fact="fingerprint"] dd');
      assert.match(said ?? '', /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
      assert.ok(product.stage.log.includes(said ?? ''));
      await shown.picture('about');
    });
  }
});

describe('pairing at the screen', () => {
  const product = productOfTests({ pairing: { required: true }, http: { tls: false } });
  before(async () => {
    assert.equal((await poid(product.stage, ['operator-password'], password)).code, 0);
  });

  const tried: readonly Counter[] = counters;
  for (const counter of tried) {
    test(`${counter.size}, ${counter.language}: the code is shown large, and Yes pairs`, async (t) => {
      const { stage } = product;
      const shown = await ProductPage.open(product, counter);
      await shown.flow(t, 'pairing');
      t.after(() => shown.close());
      await unlocked(shown);
      await shown.press('pair');
      await shown.page.waitForSelector('[data-tone="notice"]');
      await shown.picture('open');
      const { publicKey } = generateKeyPairSync('x25519');
      const half = {
        posId: 'TILL 1',
        posPublicKey: rawPublicKey(publicKey),
        posNonce: randomBytes(32).toString('hex'),
      };
      const begun = await stage.post('pairing', { posId: half.posId, commitment: commitment(half) });
      const { pairingId, terminalPublicKey, terminalNonce } = begun.body;
      const paired = stage.post('pairing/reveal', {
        pairingId,
        posPublicKey: half.posPublicKey,
        posNonce: half.posNonce,
      });
      await shown.page.waitForSelector('[data-action="yes"]');
      const code = comparisonCode({ ...half, terminalPublicKey, terminalNonce });
      assert.equal((await shown.text('title')).replace(' ', ''), code);
      assert.match(await shown.text('hint'), /TILL 1/);
      await shown.picture('code');
      await shown.press('yes');
      assert.equal((await paired).status, 200);
      const isOver = async () =>
        (await shown.text('title')) !== '' && (await shown.page.locator('[data-action="yes"]').count()) === 0;
      while (!(await isOver()));
      await shown.picture('paired');
    });
  }
});
