import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../src/base/ports/clock.ts';
import { selfSign } from '../../../src/base/tls/certificate.ts';
import { settings as configuration } from '../../../src/config/settings.ts';
import { nexoSettings } from '../../../src/config/nexo-settings.ts';
import type { JsonNumber, PosAnswer, PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { carryOut } from '../../../src/pos/nexo/outcome.ts';
import { nexo } from '../../../src/pos/nexo/open-nexo.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type Json, NexoTill, paymentOf } from './till.ts';

const identity = selfSign(['localhost']);
const http = configuration.shape.http.parse({});
/** A test key. */
const key = { identifier: 'test-key', version: 1, passphrase: 'a test passphrase' };

type Call = (request: Json, caller: Json) => Promise<PosAnswer>;
const done = (body: Json, status = 200): PosAnswer => ({ status, body });
const approved = (fields: Json = {}) => done({ responseResult: 'SUCCESS', terminalTransactionId: 'T-1', ...fields });
const open = done({ responseResult: 'UNKNOWN', reason: 'outcomeUnknown', financialImpact: 'UNKNOWN' });
const notFound = done({ responseResult: 'NOT_FOUND', reason: 'transactionUnknown', financialImpact: 'NONE' }, 404);
const noReceipt = done({ responseResult: 'INVALID_TRANSACTION_STATUS', reason: 'noReceipt' }, 422);

/** The protocol over scripted calls, in a directory that outlives it. */
class Served {
  readonly clock = new ManualClock();
  readonly asked: [name: string, request: Json, caller: Json][] = [];
  readonly failures: unknown[] = [];
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'poid-nexo-'));
  readonly #calls: Readonly<Record<string, Call>>;
  readonly #open: (() => Promise<void>)[] = [];

  private constructor(calls: Readonly<Record<string, Call>>) {
    this.#calls = { receipt: async () => noReceipt, enquiry: async () => notFound, ...calls };
  }

  static async open(t: TestContext, calls: Readonly<Record<string, Call>>, fields: Json = {}) {
    const served = new Served(calls);
    const port = await served.start(fields);
    t.after(async () => {
      await served.stop();
      rmSync(served.#dir, { recursive: true });
    });
    return { served, till: new NexoTill({ port }) };
  }

  async start(fields: Json = {}): Promise<number> {
    const calls = new Proxy({} as PosCalls, {
      get: (_target, name: string) => (request: Json, caller: Json) => {
        this.asked.push([name, request, caller]);
        const call = this.#calls[name];
        return call ? call(request, caller) : assert.fail(`nobody plays ${name}`);
      },
    });
    const settings = nexoSettings.parse({ port: 0, host: '127.0.0.1', poiId: 'POID-1', clear: true, ...fields });
    const opened = await nexo.open({
      settings,
      calls,
      stateDir: this.#dir,
      http,
      identity: async () => identity,
      clock: this.clock,
      random: systemRandom,
      onFailure: (error) => this.failures.push(error),
    });
    this.#open.push(() => opened.close());
    return opened.port ?? 0;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((close) => close()));
  }

  named(name: string): Json[] {
    return this.asked.flatMap(([each, request]) => (each === name ? [request] : []));
  }
}

test('a long payment has its head at once and a space every ten seconds', async (t) => {
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const { served, till } = await Served.open(t, { payment: () => promise });
  const paid = till.payment();
  for (let second = 0; second < 3; second++) {
    await served.clock.running(10_000);
    await served.clock.advance(10_000);
  }
  resolve(approved());
  const { raw, body } = await paid;
  assert.match(raw, /^ {3}\{/);
  assert.equal(body.PaymentResponse.Response.Result, 'Success');
  assert.equal(served.clock.pending, 0);
});

test('an open outcome is asked for until it is known, and the answer is that', async (t) => {
  const answers = [open, open, approved()];
  const { served, till } = await Served.open(t, {
    payment: async () => open,
    enquiry: async () => answers.shift() ?? open,
  });
  const paid = till.payment();
  for (let time = 0; time < 2; time++) {
    await served.clock.running(2_000);
    await served.clock.advance(2_000);
  }
  assert.equal((await paid).body.PaymentResponse.Response.Result, 'Success');
  assert.equal(served.named('payment').length, 1);
});

test('an outcome that stays open has no answer, and its status is InProgress', async (t) => {
  const calls = { payment: async () => open, enquiry: async () => open };
  const { served, till } = await Served.open(t, calls, { holdMs: 4_000 });
  const paid = assert.rejects(till.payment({ serviceId: 'open' }));
  for (let time = 0; time < 2; time++) {
    await served.clock.running(2_000);
    await served.clock.advance(2_000);
  }
  await paid;
  assert.equal((await till.status('open')).body.TransactionStatusResponse.Response.ErrorCondition, 'InProgress');
});

test('the terminal stops: an open outcome is given up without an answer', async (t) => {
  const { served, till } = await Served.open(t, { payment: async () => open, enquiry: async () => open });
  const paid = assert.rejects(till.payment());
  await served.clock.running(2_000);
  await served.stop();
  await paid;
});

test('a call that fails has no answer, because what became of the payment is not known', async (t) => {
  const { served, till } = await Served.open(t, { payment: () => Promise.reject(new Error('planted')) });
  await assert.rejects(till.payment());
  assert.deepEqual(
    served.failures.map((each) => (each as Error).message),
    ['planted'],
  );
});

test('a refusal before anything starts is forgotten: the same ServiceID may come with another content', async (t) => {
  const refused = done({ responseResult: 'ERROR', reason: 'busy', financialImpact: 'NONE' }, 409);
  const answers = [refused, approved()];
  const { served, till } = await Served.open(t, { payment: async () => answers.shift() ?? open });
  const first = (await till.payment({ serviceId: 'again', amount: 30 })).body.PaymentResponse;
  assert.equal(first.Response.ErrorCondition, 'Busy');
  const second = (await till.payment({ serviceId: 'again', amount: 31 })).body.PaymentResponse;
  assert.equal(second.Response.Result, 'Success');
  const [one, other] = served.named('payment');
  assert.equal(one.messageId, other.messageId);
});

test('a repeat that has become another request gets the outcome of the first; another content is rejected', async (t) => {
  const result = { totalAmount: 30, currency: 'HKD', paymentMethod: 'VISA', maskedPan: '****1234', entryMode: 'CHIP' };
  const reused = done({ responseResult: 'ALREADY_EXISTS', reason: 'messageIdReused', financialImpact: 'NONE' }, 409);
  const answers = [approved(), reused, reused];
  const calls = {
    payment: async () => answers.shift() ?? open,
    enquiry: async () => approved({ transactionResult: result }),
  };
  const { served, till } = await Served.open(t, calls);
  await till.payment({ serviceId: 'first' });
  const { PaymentResponse: again } = (await till.payment({ serviceId: 'first' })).body;
  assert.equal(again.Response.Result, 'Success');
  // Without a receipt, the answer itself has the amount.
  assert.equal(again.PaymentResult.AmountsResp.AuthorizedAmount, 30);
  assert.deepEqual(again.PaymentResult.PaymentInstrumentData.CardData, {
    PaymentBrand: 'visa',
    MaskedPan: '****1234',
    EntryMode: ['ICC'],
  });
  const other = (await till.payment({ serviceId: 'other' })).body;
  assert.equal(other.EventNotification.EventToNotify, 'Reject');
  assert.equal(served.named('payment').length, 3);
});

test('a repeat that the terminal can’t carry out any more gets the outcome of the first', async (t) => {
  const schemes = [{ paymentMethod: 'VISA', authorizations: { completedBy: 'OFFLINE_SALE' } }];
  const offered = [{ methods: [{ paymentMethods: ['VISA'], acquirers: ['EDC'], schemes }] }];
  const calls = {
    payment: async () => approved(),
    enquiry: async () => approved({ transactionResult: { paymentMethod: 'VISA' } }),
    capabilities: async () => done(offered.length > 0 ? offered[0] : {}),
  };
  const { served, till } = await Served.open(t, calls);
  const OriginalPOITransaction = { POITransactionID: { TransactionID: 'T-1', TimeStamp: 'x' } };
  const complete = () =>
    till.payment({ serviceId: 'c', data: { PaymentType: 'Completion' }, transaction: { OriginalPOITransaction } });
  await complete();
  offered.pop();
  assert.equal((await complete()).body.PaymentResponse.Response.Result, 'Success');
  assert.equal(served.named('payment').length, 1);
});

test('a repeat for which there is no room waits for the outcome of the first, also before the terminal knows it', async (t) => {
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const full = done({ responseResult: 'ERROR', reason: 'tooManyCalls', financialImpact: 'UNKNOWN' }, 503);
  const [calls, enquiries] = [
    [() => promise, async () => full],
    [notFound, approved()],
  ];
  const { served, till } = await Served.open(t, {
    payment: () => (calls.shift() ?? assert.fail)(),
    enquiry: async () => enquiries.shift() ?? open,
  });
  const first = till.payment({ serviceId: 'both' });
  while (served.named('payment').length < 1) await new Promise(setImmediate);
  const second = till.payment({ serviceId: 'both' });
  await served.clock.running(2_000);
  await served.clock.advance(2_000);
  assert.equal((await second).body.PaymentResponse.Response.Result, 'Success');
  resolve(approved());
  assert.equal((await first).body.PaymentResponse.Response.Result, 'Success');
});

test('an enquiry that is refused tells nothing of the payment', async (t) => {
  const refused = done({ responseResult: 'ERROR', reason: 'notPaired', financialImpact: 'NONE' }, 401);
  const enquiries = [refused, approved(), refused];
  const { served, till } = await Served.open(t, {
    payment: async () => open,
    enquiry: async () => enquiries.shift() ?? open,
  });
  const paid = till.payment({ serviceId: 'refused' });
  await served.clock.running(2_000);
  await served.clock.advance(2_000);
  assert.equal((await paid).body.PaymentResponse.Response.Result, 'Success');
  const { TransactionStatusResponse: status } = (await till.status('refused')).body;
  assert.deepEqual([status.Response.Result, status.RepeatedMessageResponse], ['Failure', undefined]);
});

test('NotFound is final: the message that comes later is not carried out', async (t) => {
  const { served, till } = await Served.open(t, { payment: async () => approved() });
  assert.equal((await till.status('held')).body.TransactionStatusResponse.Response.ErrorCondition, 'NotFound');
  const late = (await till.payment({ serviceId: 'held' })).body.PaymentResponse;
  assert.equal(late.Response.ErrorCondition, 'Aborted');
  assert.deepEqual(served.named('payment'), []);
});

test('a message whose call is on its way to the terminal is InProgress, and starts', async (t) => {
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const called = Promise.withResolvers<void>();
  const { till } = await Served.open(t, { payment: () => (called.resolve(), promise) });
  const paid = till.payment({ serviceId: 'way' });
  await called.promise;
  assert.equal((await till.status('way')).body.TransactionStatusResponse.Response.ErrorCondition, 'InProgress');
  resolve(approved());
  assert.equal((await paid).body.PaymentResponse.Response.Result, 'Success');
});

test('the identity is made of SaleID, ServiceID, category, SaleTransactionID and its time', async (t) => {
  const { served, till } = await Served.open(t, { payment: async () => approved() });
  const at = (TransactionID: string, TimeStamp: string) => ({ SaleTransactionID: { TransactionID, TimeStamp } });
  const time = '2026-01-02T03:04:05Z';
  const other = new NexoTill({ port: await served.start(), saleId: 'Till 2' });
  await till.payment({ serviceId: 'a', sale: at('1', time) });
  await till.payment({ serviceId: 'b', sale: at('1', time) });
  await other.payment({ serviceId: 'a', sale: at('1', time) });
  served.clock.jump(48 * 3_600_000);
  await till.payment({ serviceId: 'a', sale: at('2', time) });
  served.clock.jump(48 * 3_600_000);
  await till.payment({ serviceId: 'a', sale: at('1', '2026-01-02T03:04:06Z') });
  served.clock.jump(48 * 3_600_000);
  await till.payment({ serviceId: 'a', sale: at('1', time) });
  const ids = served.named('payment').map(({ messageId }) => messageId);
  assert.equal(new Set(ids).size, 5);
  assert.equal(ids.at(-1), ids[0], 'the same message is the same payment for ever');
});

test('an abort reaches a payment that is on its way to the terminal', async (t) => {
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const cancelled = done({
    responseResult: 'TRANSACTION_ALREADY_CANCEL',
    reason: 'cancelledByPos',
    financialImpact: 'NONE',
  });
  const cancels = [notFound, notFound, approved()];
  const cancel = async () => {
    const answer = cancels.shift() ?? open;
    if (answer.status === 200) resolve(cancelled);
    return answer;
  };
  const called = Promise.withResolvers<void>();
  const { served, till } = await Served.open(t, { payment: () => (called.resolve(), promise), cancel });
  const paid = till.payment({ serviceId: 'late' });
  await called.promise;
  const aborted = till.abort('late');
  for (let time = 0; time < 2; time++) {
    await served.clock.running(100);
    await served.clock.advance(100);
  }
  assert.deepEqual((await aborted).raw, '');
  assert.equal((await paid).body.PaymentResponse.Response.ErrorCondition, 'Aborted');
  assert.equal(served.named('cancel').length, 3);
});

test('an abort whose cancel takes long is answered after twenty seconds, and never with a space', async (t) => {
  const never = new Promise<PosAnswer>(() => undefined);
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const called = Promise.withResolvers<void>();
  const payment = () => (called.resolve(), promise);
  const { served, till } = await Served.open(t, { payment, cancel: () => never });
  const paid = till.payment({ serviceId: 'slow' });
  await called.promise;
  const aborted = till.abort('slow');
  await served.clock.running(20_000);
  await served.clock.advance(20_000);
  const { status, raw } = await aborted;
  assert.deepEqual([status, raw], [200, '']);
  resolve(approved());
  await paid;
});

test('a payment whose abort came while it was written is not started', async () => {
  const message = { isAborted: true, isStarted: false, calls: 0 } as Json;
  const answer = await carryOut(message, () => assert.fail('started'), { caller: {} } as Json, {} as Json);
  assert.partialDeepStrictEqual(answer?.body, { reason: 'cancelledByPos', financialImpact: 'NONE' });
});

test('a key of one POS: its calls are of that POS, and it finds no message of another', async (t) => {
  const keys = [
    { ...key, posId: 'POS-1' },
    { ...key, identifier: 'other-key', posId: 'POS-2' },
  ];
  const { served } = await Served.open(t, { payment: async () => approved(), enquiry: async () => approved() });
  const port = await served.start({ keys, clear: false });
  const one = new NexoTill({ port, key });
  const other = new NexoTill({ port, key: { ...key, identifier: 'other-key' } });
  assert.equal((await one.payment({ serviceId: 'own' })).body.PaymentResponse.Response.Result, 'Success');
  const [, request, caller] = served.asked.find(([name]) => name === 'payment') ?? assert.fail();
  assert.deepEqual([request.posId, caller.posId], ['POS-1', 'POS-1']);
  const answer = (await other.status('own')).body.TransactionStatusResponse;
  assert.equal(answer.Response.ErrorCondition, 'NotFound');
  assert.equal((await new NexoTill({ port }).payment()).status, 401);
});

test('a message whose clear header is not the secured one is refused', async (t) => {
  const { served } = await Served.open(t, {});
  const till = new NexoTill({ port: await served.start({ keys: [key] }), key });
  const { secure } = await import('./till.ts');
  const header = till.header('Payment');
  const text = JSON.stringify({ SaleToPOIRequest: { MessageHeader: header, PaymentRequest: paymentOf(1) } });
  const message = secure({ ...header, SaleID: 'Till 9' }, text, key);
  assert.equal((await till.post(JSON.stringify({ SaleToPOIRequest: message }))).status, 401);
  assert.deepEqual(served.asked, []);
});

test('a void that is refused because the batch is settled becomes a refund, also for its repeat after a restart', async (t) => {
  const original = approved({ transactionResult: { totalAmount: 30, currency: 'HKD' } });
  const settled = done(
    { responseResult: 'INVALID_TRANSACTION_STATUS', reason: 'originalSettled', financialImpact: 'NONE' },
    422,
  );
  const payment = async ({ transactionType }: Json) => (transactionType === 'VOID' ? settled : approved());
  const { served, till } = await Served.open(t, { payment, enquiry: async () => original });
  const id = { TransactionID: 'T-1', TimeStamp: '2026-01-01T00:00:00Z' };
  assert.equal((await till.reversal(id, {}, 'r')).body.ReversalResponse.Response.Result, 'Success');
  await served.stop();
  const again = new NexoTill({ port: await served.start() });
  assert.equal((await again.reversal(id, {}, 'r')).body.ReversalResponse.Response.Result, 'Success');
  const made = served.named('payment');
  assert.deepEqual(
    made.map(({ transactionType }) => transactionType),
    ['VOID', 'REFUND', 'REFUND'],
  );
  assert.equal(new Set(made.map(({ messageId }) => messageId)).size, 1);
  assert.deepEqual(
    made.map(({ requestAmount }) => (requestAmount as JsonNumber | undefined)?.source),
    [undefined, '30.00', '30.00'],
  );
});

test('what was not approved, or is not known yet, is not reversed', async (t) => {
  const declined = done({ responseResult: 'DECLINED', financialImpact: 'NONE' });
  const answers = [declined, open, notFound];
  const originalUnknown = done(
    { responseResult: 'NOT_FOUND', reason: 'originalUnknown', financialImpact: 'NONE' },
    422,
  );
  const { served, till } = await Served.open(t, {
    enquiry: async () => answers.shift() ?? assert.fail(),
    payment: async () => originalUnknown,
  });
  const id = { TransactionID: 'T-1', TimeStamp: 'x' };
  const condition = async () => (await till.reversal(id)).body.ReversalResponse.Response.ErrorCondition;
  assert.deepEqual([await condition(), await condition()], ['NotAllowed', 'InProgress']);
  assert.deepEqual(served.named('payment'), []);
  // Of another POS, perhaps: the terminal decides.
  assert.equal(await condition(), 'NotFound');
  assert.equal(served.named('payment').length, 1);
});

test('two reversals of the same message at a time are one call', async (t) => {
  const { promise, resolve } = Promise.withResolvers<PosAnswer>();
  const called = Promise.withResolvers<void>();
  const original = approved({ transactionResult: { totalAmount: 30, currency: 'HKD' } });
  const payment = () => (called.resolve(), promise);
  const { served, till } = await Served.open(t, { payment, enquiry: async () => original });
  const id = { TransactionID: 'T-1', TimeStamp: '2026-01-01T00:00:00Z' };
  const both = [till.reversal(id, {}, 'r'), till.reversal(id, {}, 'r')];
  await called.promise;
  while (served.clock.pending < 2) await new Promise(setImmediate);
  resolve(approved());
  for (const each of await Promise.all(both)) assert.equal(each.body.ReversalResponse.Response.Result, 'Success');
  assert.ok(served.named('payment').length <= 2);
  assert.equal(new Set(served.named('payment').map(({ messageId }) => messageId)).size, 1);
});

test('kinds of payment: what each becomes', async (t) => {
  const capabilities = {
    methods: [
      {
        paymentMethods: ['VISA'],
        acquirers: ['EDC'],
        schemes: [{ paymentMethod: 'VISA', authorizations: { completedBy: 'OFFLINE_SALE' } }],
      },
    ],
  };
  const enquiry = async () => approved({ transactionResult: { paymentMethod: 'VISA' } });
  const { served, till } = await Served.open(
    t,
    { payment: async () => approved(), enquiry, capabilities: async () => done(capabilities) },
    { preAuth: true },
  );
  const OriginalPOITransaction = { POITransactionID: { TransactionID: 'T-1', TimeStamp: 'x' } };
  const AmountsReq = { Currency: 'HKD', RequestedAmount: 88.300_000_000_000_01, TipAmount: 5 };
  await till.payment({ data: { PaymentType: 'Refund' } });
  await till.payment({ data: { PaymentType: 'FirstReservation' } });
  await till.payment({ data: { PaymentType: 'Completion' }, transaction: { OriginalPOITransaction } });
  await till.payment({ sale: { SaleToAcquirerData: 'authorisationType=PreAuth' } });
  await till.payment({
    sale: { SaleToAcquirerData: Buffer.from('{"tenderOption":"AskGratuity"}').toString('base64') },
  });
  await till.payment({ transaction: { AmountsReq, TransactionConditions: { AllowedPaymentBrand: ['visa'] } } });
  const fields = served
    .named('payment')
    .map(({ transactionType: type, askTip, requestAmount, tipAmount, forceAcquirer }) => [
      type,
      requestAmount.source,
      ...(askTip ? ['askTip'] : []),
      ...(tipAmount ? [tipAmount.source] : []),
      ...(forceAcquirer ? [forceAcquirer] : []),
    ]);
  assert.deepEqual(fields, [
    ['REFUND', '30.00'],
    ['AUTH', '30.00'],
    ['OFFLINE_SALE', '30.00'],
    ['AUTH', '30.00'],
    ['SALE', '30.00', 'askTip'],
    ['SALE', '93.30', '5.00', 'EDC'],
  ]);
  const refused = async (transaction: Json, data?: Json) =>
    (await till.payment({ transaction, data })).body.PaymentResponse.Response.ErrorCondition;
  const amount = (own: Json) => ({ AmountsReq: { Currency: 'HKD', RequestedAmount: 1, ...own } });
  assert.equal(await refused(amount({ RequestedAmount: 1.001 })), 'PaymentRestriction');
  assert.equal(await refused(amount({ Currency: 'ZZZ' })), 'PaymentRestriction');
  assert.equal(await refused(amount({ CashBackAmount: 1 })), 'NotAllowed');
  assert.equal(await refused(amount({}), { PaymentType: 'Instalment' }), 'NotAllowed');
  assert.equal(await refused(amount({}), { CardAcquisitionReference: {} }), 'NotFound');
  assert.equal(await refused({ ...amount({}), TransactionConditions: { ForceEntryMode: ['Keyed'] } }), 'NotAllowed');
  assert.equal(served.named('payment').length, 6);
});
