import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertHostsAgree, drained, type Posting } from './books.ts';
import { type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { receipt: { printedByPosId: { 'POS-B': 'pos' } } } });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

/** The marks of SPEC §1 as this terminal places them. Written out again here: the product's own table must not prove itself. */
const table = {
  CARD: 'SALE TIP_ADJUST AUTH OFFLINE_SALE REFUND VOID_SALE VOID_OFFLINE VOID_REFUND',
  UNIONPAY: 'SALE TIP_ADJUST AUTH AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_AUTH_COMP VOID_REFUND',
} as const;
const kinds =
  'SALE TIP_ADJUST AUTH OFFLINE_SALE AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_OFFLINE VOID_AUTH_COMP VOID_REFUND'.split(
    ' ',
  );

const methods = [
  { group: 'CARD', card: 'visa', method: 'VISA', acquirer: 'EDC' },
  { group: 'UNIONPAY', card: 'unionpay', method: 'UNIONPAY', acquirer: 'CUP' },
] as const;

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

class Shop {
  readonly told: Posting[] = [];
  readonly posId: string;
  readonly method: (typeof methods)[number];

  constructor(posId: string, method: (typeof methods)[number]) {
    this.posId = posId;
    this.method = method;
  }

  /** Asks for `kind`, with the original that it needs. */
  async ask(kind: string, fields: Json = {}): Promise<HttpAnswer> {
    const originalKind = originals[kind];
    const request = stage.saleRequest({ posId: this.posId, transactionType: kind, requestAmount: 100, ...fields });
    if (originalKind === undefined) {
      const answer = stage.payment(request);
      answer.catch(() => undefined);
      if (!fields.preferredInstrument) await stage.tap(this.method.card);
      return answer;
    }
    const original = fields.originalTerminalTransactionId ?? (await this.succeed(originalKind)).id;
    const requestAmount = fields.requestAmount ?? (kind === 'TIP_ADJUST' ? 110 : 100);
    return stage.payment({ ...request, requestAmount, originalTerminalTransactionId: original });
  }

  /** Does `kind` and keeps it in the books. */
  async succeed(kind: string): Promise<Posting> {
    const before = this.told.length;
    const { status, body } = await this.ask(kind);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.responseResult, 'SUCCESS', `${kind}: ${body.message}`);
    const original = this.told[before];
    if (kind === 'TIP_ADJUST' && original) {
      original.cents = 11_000;
      original.tipCents = 1_000;
      return original;
    }
    if (kind.startsWith('VOID_') && original) {
      const voided = this.told.at(-1) ?? original;
      voided.status = 'VOIDED';
      // The hold of a completion that was voided stands again.
      if (voided !== original) original.status = 'POSTED';
      return voided;
    }
    if (kind === 'AUTH_COMP' && original) original.status = 'COMPLETED';
    const { transactionResult } = body;
    const [entry] = (await stage.ledger(this.method.acquirer)).slice(-1);
    const stan = transactionResult?.trace ?? Number(entry?.stan);
    const { acquirer, card } = this.method;
    const posting: Posting = {
      id: body.terminalTransactionId,
      kind: kind as Posting['kind'],
      acquirer,
      card,
      currency: 'HKD',
      stan,
      cents: 10_000,
      tipCents: 0,
      status: 'POSTED',
      refundedCents: 0,
      settled: false,
    };
    this.told.push(posting);
    await drained(stage);
    if (transactionResult === undefined) {
      const [last] = (await stage.ledger(acquirer)).slice(-1);
      return Object.assign(posting, { stan: Number(last?.stan) });
    }
    return posting;
  }
}

for (const posId of ['POS-1', 'POS-B']) {
  for (const method of methods) {
    const allowed: readonly string[] = table[method.group].split(' ');
    for (const kind of kinds) {
      if (allowed.includes(kind)) {
        test(`${posId} ${method.method} ${kind}: done, and the three books agree`, async () => {
          const shop = new Shop(posId, method);
          await shop.succeed(kind);
          await drained(stage);
          await assertHostsAgree(stage, shop.told);
          for (const posting of shop.told) {
            const receipt = await stage.post('receipt', { terminalTransactionId: posting.id, output: 'DATA' });
            assert.equal(receipt.body.terminalTransactionId, posting.id);
          }
        });
      } else {
        test(`${posId} ${method.method} ${kind}: refused before anything starts`, async () => {
          const shop = new Shop(posId, method);
          const originalKind = originals[kind];
          const possible = originalKind !== undefined && allowed.includes(originalKind);
          const fields = possible ? {} : { preferredInstrument: method.method };
          const original = possible ? {} : { originalTerminalTransactionId: originalKind ? 'none' : '' };
          const { status, body } = await shop.ask(kind, { ...fields, ...original });
          assert.equal(status, 422, JSON.stringify(body));
          assert.ok(body.message.length > 0);
          assert.equal(body.financialImpact, 'NONE');
          await assertHostsAgree(stage, shop.told);
        });
      }
    }
  }
}

for (const preferredInstrument of ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR', 'OCTOPUS', 'EPS', 'CASH', 'QR']) {
  test(`${preferredInstrument}: not possible on this terminal, and it says what is`, async () => {
    const { status, body } = await stage.payment(stage.saleRequest({ preferredInstrument }));
    assert.equal(status, 422);
    assert.equal(body.errors[0].pointer, '/preferredInstrument');
    assert.deepEqual(body.possible, []);
  });
}

test('an OFFLINE_SALE with a card that can’t: declined at the card, nothing sent', async () => {
  const shop = new Shop('POS-1', methods[1]);
  const { body } = await shop.ask('OFFLINE_SALE');
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger('CUP'), []);
});

test('VOID is the void that fits', async () => {
  const shop = new Shop('POS-1', methods[1]);
  for (const [kind, voided] of Object.entries({ SALE: 'VOID_SALE', AUTH: 'VOID_AUTH', REFUND: 'VOID_REFUND' })) {
    const original = await shop.succeed(kind);
    const { body } = await stage.payment(
      stage.saleRequest({ transactionType: 'VOID', requestAmount: 100, originalTerminalTransactionId: original.id }),
    );
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    assert.equal(body.transactionResult.tranType, voided);
    original.status = 'VOIDED';
  }
  await assertHostsAgree(stage, shop.told);
});

test('a card of two networks goes where the POS says', async () => {
  const { body: first } = await stage.paid('unionpay', { forceAcquirer: 'EDC' });
  assert.equal(first.transactionResult.acquirerId, 'EDC');
  const { body: second } = await stage.paid('unionpay', { forceAcquirer: 'CUP' });
  assert.equal(second.transactionResult.acquirerId, 'CUP');
  const { body: third } = await stage.paid('visa', { forceAcquirer: 'CUP' });
  assert.equal(third.responseResult, 'DECLINED');
  const { status, body } = await stage.payment(stage.saleRequest({ forceAcquirer: 'DCC' }));
  assert.equal(status, 422);
  assert.match(body.message, /CUP, EDC/);
});
