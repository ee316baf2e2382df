import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { drained } from './books.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** Acquirers' hosts that see things otherwise than the terminal: docs/simulator.md. */
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

function refer(transactionType: string, original: Json, requestAmount: number): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId } = original;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId }));
}

function succeeded({ body }: HttpAnswer): Json {
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  return body;
}

async function statuses(): Promise<string[]> {
  return (await stage.ledger()).map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);
}

describe('frames and bitmaps without contents', () => {
  test('empty frames on the idle line and before every answer, a second bitmap: everything goes through', async () => {
    await stage.host('EDC', { keepAliveMs: 5, secondBitmap: true });
    const sale = succeeded(await stage.paid('visa'));
    succeeded(await refer('TIP_ADJUST', sale, 33));
    await drained(stage);
    // Idle for some frames.
    await eventually(
      () => stage.status(),
      ({ state }) => state === 'idle',
    );
    succeeded(await stage.paid('visa', { transactionType: 'REFUND', requestAmount: 5 }));
    const voided = succeeded(await stage.paid('amex'));
    succeeded(await refer('VOID', voided, 30));
    assert.deepEqual(await statuses(), ['SALE 33.00 POSTED', 'REFUND 5.00 POSTED', 'SALE 30.00 VOIDED']);
    succeeded(await stage.settle());
    assert.equal((await stage.bench()).hosts.EDC.reversalRequests, 0);
  });
});

describe('foreign bytes in fields that the terminal does not read', () => {
  /** GBK, a line break, control characters, and a mark to search for, in fields of text and of numbers. */
  const mark = 'ZQXJ7';
  const foreign = Buffer.concat([Buffer.from('BDBBD2D7B3C9B9A6', 'hex'), Buffer.from(`\r\n\0${mark}\xff`, 'latin1')]);
  const some = foreign.toString('hex');
  const fixed = (length: number) => Buffer.alloc(length, foreign).toString('hex');
  const texts = [32, 34, 35, 44, 45, 46, 48, 54, 57, 59, 61, 62, 100, 102, 105];
  const sizes: [field: number, bytes: number][] = [
    ...([7, 28, 31] as const).map((field): [number, number] => [field, 5]),
    ...([14, 15, 22] as const).map((field): [number, number] => [field, 2]),
    ...([52, 64, 128] as const).map((field): [number, number] => [field, 8]),
    ...([40, 51] as const).map((field): [number, number] => [field, 3]),
    [42, 15],
    [43, 40],
    [66, 1],
    [90, 21],
    [97, 9],
    [120, 900],
    [127, 0],
  ];
  const extraFields = {
    ...Object.fromEntries(texts.map((field) => [field, some])),
    ...Object.fromEntries(sizes.map(([field, bytes]) => [field, fixed(bytes)])),
  };

  test('everything goes through: requests, advices, reversals, voids, settlement and upload', async () => {
    await stage.host('EDC', { extraFields: { ...extraFields, 60: some, 63: some } });
    const sale = succeeded(await stage.paid('visa'));
    succeeded(await refer('TIP_ADJUST', sale, 33));
    const advised = await stage.paid('visa', { transactionType: 'OFFLINE_SALE', approvalCode: 'PHONE1' });
    succeeded(advised);
    await drained(stage);
    const auth = succeeded(await stage.paid('visa', { transactionType: 'AUTH' }));
    succeeded(await refer('VOID', auth, 30));
    succeeded(await stage.paid('visa', { transactionType: 'REFUND', requestAmount: 5 }));
    succeeded(await refer('VOID', succeeded(await stage.paid('amex')), 30));
    assert.equal((await stage.bench()).hosts.EDC.reversalRequests, 0);
    // A reversal, whose answer has them as well.
    await stage.host('EDC', { mode: 'closeAfterRequest', extraFields });
    const { body } = await stage.paid('visa');
    assert.equal(body.responseResult, 'ERROR', body.message);
    await eventually(
      () => stage.enquiry(body),
      (enquiry) => enquiry.body.financialImpact === 'REVERSED',
    );
    await stage.host('EDC', { mismatch: true, extraFields });
    const { settlements } = (await stage.settle({ acquirer: 'EDC' })).body;
    assert.deepEqual(
      settlements.map(({ result }: Json) => result),
      ['UPLOADED'],
    );
    const seen = JSON.stringify([sale, advised, body, await stage.enquiry(sale), settlements]) + stage.log;
    assert.ok(!seen.includes(mark), 'in an answer or the log');
    const { terminalTransactionId } = sale;
    const receipt = await stage.post('receipt', { terminalTransactionId, output: 'TEXT', copy: 'MERCHANT' });
    assert.ok(!JSON.stringify(receipt.body).includes(mark), 'on the receipt');
  });
});

describe('advices', () => {
  const offline = { transactionType: 'OFFLINE_SALE', approvalCode: 'PHONE1' };

  test('a repeat answered 94 is done, and the operator is not asked', async () => {
    await stage.host('EDC', { mode: 'silent', advices: true, duplicates: '94' });
    const sale = succeeded(await stage.paid('visa', offline));
    await eventually(
      () => stage.posted(),
      (posted) => posted.length === 1,
    );
    await stage.host('EDC', { duplicates: '94' });
    await drained(stage);
    succeeded(await stage.enquiry(sale));
    assert.deepEqual(await statuses(), ['OFFLINE_SALE 30.00 POSTED']);
  });

  for (const code of ['08', '10', '11', '16']) {
    test(`approved with ${code}: posted, and reported as approved`, async () => {
      await stage.host('EDC', { approveAdvices: code });
      const sale = succeeded(await stage.paid('visa', offline));
      await drained(stage);
      const { body } = await stage.enquiry(sale);
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      assert.equal(body.transactionResult.tranStatus, 'APPROVED');
      assert.deepEqual(await statuses(), ['OFFLINE_SALE 30.00 POSTED']);
    });
  }

  test('rejected: the enquiry and a repeated request say so', async () => {
    await stage.host('EDC', { rejectAdvices: '57' });
    const request = stage.saleRequest(offline);
    const answer = stage.payment(request);
    await stage.tap('visa');
    succeeded(await answer);
    await drained(stage);
    for (const again of [await stage.enquiry(request), await stage.payment(request)]) {
      assert.notEqual(again.body.responseResult, 'SUCCESS');
      assert.notEqual(again.body.transactionResult.tranStatus, 'APPROVED');
    }
    assert.deepEqual(await statuses(), []);
    await stage.host('EDC', {});
  });
});

describe('a host that carries out a request after its reversal found no record', () => {
  test('and answers on the same connection: the late approval is reversed', async () => {
    await stage.host('EDC', { mode: 'overtaken', lateAnswer: true, delayMs: 3_000 });
    const { body } = await stage.paid('visa');
    assert.equal(body.responseResult, 'ERROR', body.message);
    // The grace is over before the host's late word.
    await eventually(
      () => stage.enquiry(body),
      (enquiry) => enquiry.body.financialImpact === 'REVERSED',
    );
    assert.deepEqual(await statuses(), []);
    await stage.host('EDC', {});
    const [posting] = await eventually(
      () => stage.ledger(),
      (ledger) => ledger.length > 0 && ledger[0].status === 'REVERSED',
    );
    assert.equal(posting.reversals, 1);
    assert.equal((await stage.enquiry(body)).body.financialImpact, 'REVERSED');
  });
});
