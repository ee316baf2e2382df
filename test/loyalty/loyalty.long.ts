import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, test } from 'node:test';
import { eventually, http, type Json, Stage } from '../e2e/stage.ts';
import { LoyaltyHost } from './loyalty-host.ts';

const here = import.meta.dirname;
const card = '6000001234567890';
const filled = 100_000n;

let host: LoyaltyHost;
let stage: Stage;
before(async () => {
  host = await LoyaltyHost.open({ [card]: filled });
  stage = await Stage.open({
    hosts: ['EDC'],
    program: path.join(here, 'poid.ts'),
    configuration: {
      cash: false,
      octopus: undefined,
      methods: [{ id: 'LOYALTY', protocol: 'loyalty', host: '127.0.0.1', port: host.port, replyTimeoutMs: 1_000 }],
    },
  });
});
after(async () => {
  await stage.close();
  await host.close();
});
afterEach(async () => assert.deepEqual(await stage.unexpected(), []));

/** Scans the card for a sale of 30 HKD, or of what `fields` say. */
async function sold(fields: Json = {}): Promise<Json> {
  const { answer } = stage.begun({ preferredEntryMode: 'QR_SCAN', ...fields });
  await stage.scan(`LOYALTY:${card}`);
  return (await answer).body;
}

async function referred(transactionType: string, { terminalTransactionId }: Json, requestAmount = 30): Promise<Json> {
  const fields = { transactionType, requestAmount, originalTerminalTransactionId: terminalTransactionId };
  return (await stage.payment(stage.saleRequest(fields))).body;
}

test('it is added by its folder, its line in the registry, its settings and its words, and src knows nothing of it', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const added = ['poid.ts', ...readdirSync(path.join(here, 'method')).map((name) => `method/${name}`)];
  assert.ok(added.length <= 8, added.join(', '));
  for (const folder of ['src', 'drivers', 'hw-sim']) {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => /\.(?:ts|js|html|css|json)$/.test(name));
    assert.ok(sources.length > 20, folder);
    const naming = sources.filter((name) => /loyalty/i.test(readFileSync(path.join(root, folder, name), 'utf8')));
    assert.deepEqual(naming, []);
  }
});

test('sells: the answer, the paper and the screen tell it by its own codes and words', async () => {
  const outcome = stage.view(({ scene }) => scene === 'approved');
  const body = await sold();
  assert.equal(body.responseResult, 'SUCCESS');
  const { paymentMethod, entryMode, maskedPan, balanceAmount, acquirerId, rrn } = body.transactionResult;
  const [posting] = host.effective;
  assert.deepEqual(
    { paymentMethod, entryMode, maskedPan, balanceAmount, acquirerId, rrn },
    {
      paymentMethod: 'LOYALTY',
      entryMode: 'LOYALTY_CODE',
      maskedPan: '************7890',
      balanceAmount: 970,
      acquirerId: 'LOYALTY',
      rrn: posting?.number,
    },
  );
  assert.deepEqual([posting?.minor, posting?.currency, host.balanceOf(card)], [-3_000n, 'HKD', filled - 3_000n]);
  const { wallet, labels, balance } = await outcome;
  assert.deepEqual([wallet, labels.LOYALTY.en, balance], ['LOYALTY', 'Loyalty card', '970.00']);
  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('Loyalty card'),
  );
  for (const line of [/^Loyalty card +SCANNED$/m, /^CARD NO\. +\*{4}7890$/m, /^REMAINING VALUE +HKD 970\.00$/m]) {
    assert.match(paper, line);
  }
});

test('is chosen on the screen, where it has its own tile', async () => {
  const { answer } = stage.begun();
  const { modes, labels, transaction } = await stage.view(({ scene }) => scene === 'chooseMethod');
  assert.deepEqual([modes, labels.LOYALTY['zh-Hant']], [['CARD', 'LOYALTY'], '會員卡']);
  await stage.action(transaction, { kind: 'choose', mode: 'LOYALTY' });
  await stage.scan('no card of ours');
  await stage.scan(`LOYALTY:${card}`);
  assert.equal((await answer).body.responseResult, 'SUCCESS');
});

test('a card with too little is declined', async () => {
  const before = host.balanceOf(card);
  const { responseResult, financialImpact, transactionResult } = await sold({ requestAmount: 5_000 });
  assert.deepEqual([responseResult, financialImpact], ['DECLINED', 'NONE']);
  assert.equal(transactionResult.balanceAmount, Number(before) / 100);
  assert.equal(host.balanceOf(card), before);
});

test('gives back by reference, and takes that back', async () => {
  const before = host.balanceOf(card);
  const sale = await sold();
  const refund = await referred('REFUND', sale, 10);
  assert.deepEqual([refund.responseResult, host.balanceOf(card)], ['SUCCESS', before - 2_000n]);
  assert.equal((await referred('REFUND', sale, 25)).responseResult, 'INVALID_PARAMETER');
  const undone = await referred('VOID_REFUND', refund, 10);
  assert.deepEqual([undone.responseResult, host.balanceOf(card)], ['SUCCESS', before - 3_000n]);
  const voided = await referred('VOID', sale);
  assert.deepEqual([voided.responseResult, host.balanceOf(card)], ['SUCCESS', before]);
  assert.equal(voided.transactionResult.tranType, 'VOID_SALE');
  const { body } = await stage.enquiry(sale);
  assert.equal(body.transactionResult.tranStatus, 'VOIDED');
});

test('an answer that is lost is undone', async () => {
  const before = host.balanceOf(card);
  const booked = once(host, 'booked');
  host.mode = 'silent';
  const answer = sold();
  await booked;
  host.mode = 'up';
  const { responseResult, financialImpact } = await answer;
  assert.deepEqual([responseResult, financialImpact, host.balanceOf(card)], ['ERROR', 'REVERSED', before]);
});

for (const kind of ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'] as const) {
  test(`${kind}: killed between the message and its answer, started again: the host's books have nothing of it`, async () => {
    const sale = kind === 'SALE' ? undefined : await sold();
    const refund = kind === 'VOID_REFUND' ? await referred('REFUND', sale, 10) : undefined;
    const before = host.balanceOf(card);
    const count = host.effective.length;
    const booked = once(host, 'booked');
    host.mode = 'silent';
    const original = refund ?? sale;
    const request = stage.saleRequest(
      original
        ? {
            transactionType: kind,
            requestAmount: kind === 'VOID_SALE' ? 30 : 10,
            originalTerminalTransactionId: original.terminalTransactionId,
          }
        : { preferredEntryMode: 'QR_SCAN' },
    );
    const lost = stage.payment(request);
    lost.catch(() => undefined);
    if (!original) await stage.scan(`LOYALTY:${card}`);
    await booked;
    assert.notEqual(host.balanceOf(card), before, 'the host has booked it');
    await stage.stopDaemon('SIGKILL');
    await assert.rejects(lost);

    host.mode = 'up';
    await stage.startDaemon();
    const { body } = await eventually(
      () => stage.enquiry(request),
      (answer) => answer.body.financialImpact === 'REVERSED',
    );
    assert.deepEqual([body.responseResult, body.transactionResult.tranStatus], ['ERROR', 'REVERSED']);
    assert.deepEqual([host.balanceOf(card), host.effective.length], [before, count]);
    if (original)
      assert.equal((await referred(kind, original, kind === 'VOID_SALE' ? 30 : 10)).responseResult, 'SUCCESS');
  });
}

test('settles with the totals of its host', async () => {
  await sold();
  const { body } = await stage.settle({ acquirer: 'LOYALTY' });
  const [batch] = body.settlements;
  assert.deepEqual([batch.acquirer, batch.result], ['LOYALTY', 'BALANCED']);
  assert.deepEqual(host.closed, [`${batch.batch} HKD`]);
  const sum = (kind: string) => batch.totals.find((each: Json) => each.transactionType === kind)?.totalAmount ?? 0;
  const taken = Number(filled - host.balanceOf(card)) / 100;
  assert.equal(sum('SALE') - sum('REFUND'), taken, 'what is settled is what is gone from the card');
  const next = await sold();
  host.mode = 'silent';
  assert.equal((await stage.settle({ acquirer: 'LOYALTY' })).body.settlements[0].result, 'FAILED');
  host.mode = 'up';
  const later = (await stage.settle({ acquirer: 'LOYALTY' })).body.settlements;
  assert.deepEqual(
    later.map(({ result }: Json) => result),
    ['BALANCED'],
  );
  assert.equal((await referred('VOID', next)).responseResult, 'INVALID_TRANSACTION_STATUS');
});

test('the terminal tells what it can do with it', async () => {
  const { body } = await http('GET', `${stage.apiUrl}/sp/v1/capabilities`);
  const own = body.methods.find(({ method }: Json) => method === 'LOYALTY');
  assert.deepEqual(own, {
    method: 'LOYALTY',
    paymentMethods: ['LOYALTY'],
    kinds: ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'],
    acquirers: ['LOYALTY'],
    ready: true,
    schemes: [
      {
        paymentMethod: 'LOYALTY',
        kinds: ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'],
        entryModes: ['LOYALTY'],
        limits: [],
        ready: true,
      },
    ],
  });
  assert.equal((await sold({ preferredInstrument: 'LOYALTY' })).responseResult, 'SUCCESS');
  const { acquirers } = await stage.status();
  assert.equal(acquirers.find(({ id }: Json) => id === 'LOYALTY').link, 'up');
});
