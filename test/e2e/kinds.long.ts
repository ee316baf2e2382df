import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, bookVoid, drained, type Posting, type PostingKind } from './books.ts';
import { assertPaidBy, byCard, byCash, byEps, byOctopus, byScannedCode, byShownCode, type Way } from './customer.ts';
import { armed, type HttpAnswer, type Json, Stage } from './stage.ts';

/**
 * The marks of SPEC §1 as this terminal places them. Written out again here: the product's own table must not prove
 * itself.
 */
const table: Readonly<Record<string, string>> = {
  VISA: 'SALE TIP_ADJUST AUTH OFFLINE_SALE REFUND VOID_SALE VOID_OFFLINE VOID_REFUND',
  UNIONPAY: 'SALE TIP_ADJUST AUTH AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_AUTH_COMP VOID_REFUND',
  ALIPAY: 'SALE REFUND VOID_SALE VOID_REFUND',
  WECHAT: 'SALE REFUND VOID_SALE VOID_REFUND',
  UPI_QR: 'SALE REFUND VOID_SALE VOID_REFUND',
  // Its host gives nothing back.
  FPS: 'SALE',
  OCTOPUS: 'SALE',
  EPS: 'SALE',
  CASH: 'SALE',
};

const kinds =
  'SALE TIP_ADJUST AUTH OFFLINE_SALE AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_OFFLINE VOID_AUTH_COMP VOID_REFUND'.split(
    ' ',
  );

/** Every entry mode that there is for each method. */
const methods: readonly (readonly Way[])[] = [
  [byCard('visa'), byCard('visa', 'insert'), byCard('visa', 'fallback')],
  [byCard('unionpay'), byCard('unionpay', 'insert'), byCard('unionpay', 'fallback')],
  [byScannedCode('ALIPAY'), byShownCode('ALIPAY')],
  [byScannedCode('WECHAT'), byShownCode('WECHAT')],
  [byScannedCode('UPI_QR'), byShownCode('UPI_QR')],
  [byShownCode('FPS')],
  [byOctopus()],
  [byEps('SAVINGS'), byEps('CURRENT')],
  [byCash()],
];

/** What a kind refers to. */
const originals: Readonly<Record<string, string>> = {
  TIP_ADJUST: 'SALE',
  AUTH_COMP: 'AUTH',
  VOID_SALE: 'SALE',
  VOID_AUTH: 'AUTH',
  VOID_OFFLINE: 'OFFLINE_SALE',
  VOID_AUTH_COMP: 'AUTH_COMP',
  VOID_REFUND: 'REFUND',
};

let stage: Stage;
before(async () => {
  // No printer: what a receipt says is asked for as data, and no status waits for paper.
  stage = await Stage.open({ configuration: { printer: undefined, receipt: { printedByPosId: { 'POS-B': 'pos' } } } });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

/** One POS that is paid in one way, and the books that it would keep. */
class Shop {
  readonly reported: Posting[] = [];
  readonly way: Way;
  readonly #posId: string;

  constructor(posId: string, way: Way) {
    this.#posId = posId;
    this.way = way;
  }

  /** A wallet is paid back by the payment that it refers to, a card by itself. */
  originalKind(kind: string): string | undefined {
    return kind === 'REFUND' && this.way.acquirer === 'QR' ? 'SALE' : originals[kind];
  }

  /** Asks for something that a customer pays. */
  pays(kind: string): Promise<HttpAnswer> {
    return stage.paid(this.way, this.#fields(kind));
  }

  /** Asks for something that goes by an original. */
  refers(kind: string, { id, cents }: Pick<Posting, 'id' | 'cents'>): Promise<HttpAnswer> {
    const requestAmount = kind === 'TIP_ADJUST' ? cents / 100 + 10 : cents / 100;
    const request = { ...this.#fields(kind), requestAmount, originalTerminalTransactionId: id };
    return stage.payment(stage.saleRequest(request));
  }

  /** Asks for something that is to be refused at once: nobody comes to pay. */
  refused(kind: string): Promise<HttpAnswer> {
    const fields = { ...this.way.request, preferredInstrument: this.way.method };
    return stage.payment(stage.saleRequest({ ...this.#fields(kind), ...fields }));
  }

  #fields(kind: string): Json {
    return { posId: this.#posId, transactionType: kind, requestAmount: 100 };
  }

  /** Does `kind`, with the original that it needs, and keeps it in the books. */
  async succeed(kind: string): Promise<Posting> {
    const originalKind = this.originalKind(kind);
    const original = originalKind === undefined ? undefined : await this.succeed(originalKind);
    const { status, body } = await (original ? this.refers(kind, original) : this.pays(kind));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.responseResult, 'SUCCESS', `${kind}: ${body.message}`);
    await drained(stage);
    const answer = { ...body, transactionResult: body.transactionResult ?? (await this.#traced(body)) };
    if (body.transactionResult && !original) assertPaidBy(this.way, body.transactionResult);
    if (kind === 'TIP_ADJUST' && original) return Object.assign(original, { cents: 11_000, tipCents: 1_000 });
    if (kind.startsWith('VOID_') && original) {
      bookVoid(original, answer);
      return original;
    }
    if (kind === 'AUTH_COMP' && original) original.status = 'COMPLETED';
    if (kind === 'REFUND' && original) original.refundedCents += 10_000;
    const more: Partial<Posting> = {
      ...(kind === 'AUTH_COMP' && original ? { completes: original } : {}),
      ...(kind === 'REFUND' && original ? { refundOf: original } : {}),
    };
    const posting = booked(kind as PostingKind, this.way, 10_000, answer, more);
    this.reported.push(posting);
    return posting;
  }

  /** Print data has no trace number: the other side's newest entry has it, where its number is not our own. */
  async #traced({ terminalTransactionId: id, transactionPrintData: print }: Json): Promise<Json> {
    const { acquirer } = this.way;
    if (acquirer === 'CASH') return { trace: 0, ...print };
    if (acquirer === 'EDC' || acquirer === 'CUP' || acquirer === 'EPS') {
      return { trace: Number((await stage.ledger(acquirer)).at(-1)?.stan) };
    }
    const names = acquirer === 'QR' ? await stage.ledger('QR') : await stage.octopusLedger();
    const own = names.map(({ tradeNo, reference }) => String(tradeNo ?? reference)).find((name) => name.startsWith(id));
    return { trace: Number(own?.split('-')[1]) };
  }
}

/** How it stands after what referred to it (docs/pos.md, tranStatus). */
function standsAs({ status, kind, cents, tipCents, refundedCents }: Posting): string {
  if (status === 'VOIDED') return kind === 'AUTH' ? 'RELEASED' : 'VOIDED';
  if (status === 'COMPLETED') return 'COMPLETED';
  if (refundedCents > 0) return refundedCents < cents ? 'PARTIALLY_REFUNDED' : 'REFUNDED';
  return tipCents > 0 ? 'ADJUSTED' : 'APPROVED';
}

/** What a receipt would say of it, as data. */
async function assertReceipted(posting: Posting): Promise<void> {
  const { id, cents, way, kind } = posting;
  const { status, body } = await stage.post('receipt', { terminalTransactionId: id, output: 'DATA' });
  assert.equal(status, 200, JSON.stringify(body));
  const { transactionPrintData: print } = body;
  assert.deepEqual(
    [print.paymentBrand, print.entryMode, print.transactionType, print.transactionStatus, print.transactionId],
    [way.method, way.entryMode, kind, standsAs(posting), id],
  );
  // A tip that came later is told by its own receipt.
  assert.equal(Math.round(print.totalAmount * 100), kind === 'SALE' ? 10_000 : cents);
}

for (const ways of methods) {
  for (const way of ways) {
    const allowed = (table[way.method] ?? '').split(' ');
    describe(way.name, () => {
      for (const posId of ['POS-1', 'POS-B']) {
        for (const kind of kinds) {
          if (allowed.includes(kind)) {
            test(`${posId} ${kind}: done, and the three books agree`, async () => {
              const shop = new Shop(posId, way);
              await shop.succeed(kind);
              await assertHostsAgree(stage, shop.reported);
              for (const posting of shop.reported) await assertReceipted(posting);
            });
          } else {
            test(`${posId} ${kind}: refused before anything starts, and it says why`, async () => {
              const shop = new Shop(posId, way);
              const originalKind = shop.originalKind(kind);
              const known = originalKind !== undefined && allowed.includes(originalKind) ? originalKind : 'SALE';
              const original = originalKind === undefined ? undefined : await shop.succeed(known);
              const { status, body } = await (original ? shop.refers(kind, original) : shop.refused(kind));
              assert.equal(status, 422, JSON.stringify(body));
              assert.equal(body.financialImpact, 'NONE');
              assert.equal(body.errors.length, 1);
              const fitting = original === undefined || known === originalKind;
              const pointer = fitting ? '/transactionType' : '/originalTerminalTransactionId';
              assert.equal(body.errors[0].pointer, pointer, body.message);
              assert.ok(body.message.length > pointer.length);
              await assertHostsAgree(stage, shop.reported);
              assert.deepEqual(armed(await stage.bench()), []);
              assert.equal((await stage.status()).state, 'idle');
            });
          }
        }
      }
    });
  }
}

for (const kind of kinds) {
  test(`${kind} of FPS with a scanned code: refused, there is no such code`, async () => {
    const paid = { preferredEntryMode: 'QR_SCAN', preferredInstrument: 'FPS', originalTerminalTransactionId: '' };
    const original = originals[kind] === undefined ? {} : { originalTerminalTransactionId: 'any' };
    const { status, body } = await stage.payment(stage.saleRequest({ transactionType: kind, ...paid, ...original }));
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(body.errors[0].pointer, kind === 'SALE' ? '/preferredEntryMode' : '/transactionType');
    assert.deepEqual(body.possible, ['SALE']);
  });
}

for (const preferredInstrument of ['ALIPAY', 'WECHAT', 'UPI_QR', 'QR']) {
  test(`a REFUND to ${preferredInstrument} names the payment that it gives back`, async () => {
    const { status, body } = await stage.payment(stage.saleRequest({ transactionType: 'REFUND', preferredInstrument }));
    assert.equal(status, 422);
    assert.equal(body.errors[0].pointer, '/originalTerminalTransactionId');
    assert.match(body.message, /required/);
  });
}

test('an OFFLINE_SALE with a card that can’t: declined at the card, nothing sent', async () => {
  const { body } = await stage.paid('unionpay', { transactionType: 'OFFLINE_SALE', requestAmount: 100 });
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger('CUP'), []);
});

test('VOID is the void that fits', async () => {
  for (const [way, voids] of [
    [byCard('unionpay', 'insert'), { SALE: 'VOID_SALE', AUTH: 'VOID_AUTH', REFUND: 'VOID_REFUND' }],
    [byCard('visa', 'fallback'), { SALE: 'VOID_SALE', OFFLINE_SALE: 'VOID_OFFLINE', REFUND: 'VOID_REFUND' }],
    [byShownCode('WECHAT'), { SALE: 'VOID_SALE', REFUND: 'VOID_REFUND' }],
  ] as const) {
    const shop = new Shop('POS-1', way);
    for (const [kind, voided] of Object.entries(voids)) {
      const original = await shop.succeed(kind);
      const { body } = await shop.refers('VOID', original);
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      assert.equal(body.transactionResult.tranType, voided);
      bookVoid(original, body);
    }
    await assertHostsAgree(stage, shop.reported);
    await stage.sim('POST', '/api/reset', {});
  }
});

test('a card of two networks goes where the POS says', async () => {
  const { body: first } = await stage.paid('unionpay', { forceAcquirer: 'EDC' });
  assert.equal(first.transactionResult.acquirerId, 'EDC');
  const { body: second } = await stage.paid('unionpay', { forceAcquirer: 'CUP' });
  assert.equal(second.transactionResult.acquirerId, 'CUP');
  const { body: third } = await stage.paid('visa', { forceAcquirer: 'CUP' });
  assert.equal(third.responseResult, 'DECLINED');
});
