import assert from 'node:assert/strict';
import { type AcquirerName, assertHostsAgree, assertJournalAgrees, drained, type Posting } from './books.ts';
import { type HttpAnswer, type Json, Stage } from './stage.ts';

/** A small generator with a seed (mulberry32, public domain algorithm): the same seed is the same walk. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }
}

const cards = [
  { name: 'visa', acquirer: 'EDC', signs: true },
  { name: 'mastercard', acquirer: 'EDC', signs: false },
  { name: 'amex', acquirer: 'EDC', signs: true },
  { name: 'jcb', acquirer: 'EDC', signs: false },
  { name: 'unionpay', acquirer: 'CUP', signs: true },
] as const;

const outages = [
  { mode: 'silent' },
  { mode: 'closeAfterRequest' },
  { mode: 'garbage' },
  { mode: 'down' },
  { mode: 'duplicate' },
] as const;

const operations = [
  'sale',
  'sale',
  'sale',
  'auth',
  'offline',
  'refund',
  'linkedRefund',
  'void',
  'void',
  'tip',
  'completion',
  'settle',
  'cancel',
  'decline',
  'outage',
  'outage',
  'repeat',
  'wrongVoid',
] as const;
type Operation = (typeof operations)[number];

type Kind = Posting['kind'];

/** Clicks of a shop that has a bad day, and the books that an accountant would keep of it. */
export class Walk {
  readonly #stage: Stage;
  readonly #chance: Chance;
  readonly #postings: Posting[] = [];
  #last: { readonly request: Json; readonly answer: HttpAnswer } | undefined;
  /** What was done, for a failing seed. */
  readonly log: string[] = [];

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#chance = new Chance(seed);
  }

  async run(steps: number): Promise<void> {
    for (let step = 1; step <= steps; step++) {
      const operation = this.#chance.of(operations);
      this.log.push(operation);
      await this.#do(operation);
      if (step % 50 === 0) await this.#compare();
    }
    await this.#compare();
    await this.#settle(false);
    await this.#compare();
    await this.#stage.stopDaemon('SIGTERM');
    assertJournalAgrees(this.#stage, this.#postings);
  }

  async #do(operation: Operation): Promise<void> {
    switch (operation) {
      case 'sale':
        return void (await this.#presented('SALE', this.#card()));
      case 'auth':
        return void (await this.#presented('AUTH', this.#card()));
      case 'offline':
        return void (await this.#presented('OFFLINE_SALE', this.#chance.of(cards.slice(0, 4))));
      case 'refund':
        return void (await this.#presented('REFUND', this.#card()));
      case 'linkedRefund':
        return this.#linkedRefund();
      case 'void':
        return this.#void();
      case 'wrongVoid':
        return this.#wrongVoid();
      case 'tip':
        return this.#tip();
      case 'completion':
        return this.#completion();
      case 'settle':
        // A day has some hundred transactions and one settlement.
        return this.#chance.below(4) === 0 ? this.#settle(this.#chance.below(3) === 0) : undefined;
      case 'cancel':
        return this.#cancel();
      case 'decline':
        return this.#decline();
      case 'outage':
        return this.#outage();
      case 'repeat':
        return this.#repeat();
      default:
        return operation satisfies never;
    }
  }

  #card(): (typeof cards)[number] {
    return this.#chance.of(cards);
  }

  #cents(): number {
    return 1 + this.#chance.below(this.#chance.below(10) === 0 ? 5_000_000 : 50_000);
  }

  async #presented(
    kind: Kind,
    card: (typeof cards)[number],
    fields: Json = {},
    more: Partial<Posting> = {},
  ): Promise<HttpAnswer> {
    const cents = fields.cents ?? this.#cents();
    const request = this.#stage.saleRequest({
      transactionType: kind,
      requestAmount: cents / 100,
      ...(fields.original ? { originalTerminalTransactionId: fields.original } : {}),
    });
    const pending = this.#stage.payment(request);
    pending.catch(() => undefined);
    await this.#stage.tap(card.name);
    const answer = await pending;
    this.#last = { request, answer };
    if (answer.body.responseResult === 'SUCCESS') this.#keep(kind, card.acquirer, card.name, cents, answer.body, more);
    return answer;
  }

  #keep(
    kind: Kind,
    acquirer: AcquirerName,
    card: string,
    cents: number,
    body: Json,
    more: Partial<Posting> = {},
  ): void {
    this.#postings.push({
      id: body.terminalTransactionId,
      kind,
      acquirer,
      card,
      currency: 'HKD',
      stan: body.transactionResult.trace,
      cents,
      tipCents: 0,
      status: 'POSTED',
      refundedCents: 0,
      settled: false,
      ...more,
    });
  }

  async #refer(transactionType: string, original: Posting, cents: number): Promise<HttpAnswer> {
    const fields = { transactionType, requestAmount: cents / 100, originalTerminalTransactionId: original.id };
    const request = this.#stage.saleRequest(fields);
    const answer = await this.#stage.payment(request);
    this.#last = { request, answer };
    return answer;
  }

  #some(allowed: (posting: Posting) => boolean): Posting | undefined {
    const choice = this.#postings.filter(allowed);
    return choice.length === 0 ? undefined : this.#chance.of(choice);
  }

  async #void(): Promise<void> {
    const original = this.#some((posting) => voidable(posting));
    if (!original) return;
    const answer = await this.#refer(
      this.#chance.below(2) === 0 ? 'VOID' : voidKinds[original.kind],
      original,
      original.cents,
    );
    expect(answer, 'SUCCESS', `void of ${original.kind} ${original.stan}`);
    this.#voided(original);
  }

  #voided(original: Posting): void {
    original.status = 'VOIDED';
    if (original.refundOf) original.refundOf.refundedCents -= original.cents;
    if (original.completes) original.completes.status = 'POSTED';
  }

  /** What must not be voided: voided already, settled, refunded, completed, or by another amount. */
  async #wrongVoid(): Promise<void> {
    const original = this.#some((posting) => !voidable(posting) && possibleVoid(posting));
    if (original) {
      const answer = await this.#refer('VOID', original, original.cents);
      assert.equal(answer.status, 422, `a wrong void of ${original.kind} ${original.stan} was not refused`);
    }
    const voidableOne = this.#some((posting) => voidable(posting));
    if (!voidableOne) return;
    const answer = await this.#refer('VOID', voidableOne, voidableOne.cents + 1);
    assert.equal(answer.status, 422);
    assert.equal(answer.body.errors[0].pointer, '/requestAmount');
  }

  async #tip(): Promise<void> {
    const signed = cards.filter(({ signs }) => signs).map(({ name }) => name as string);
    const original = this.#some(
      (posting) => ['SALE', 'OFFLINE_SALE'].includes(posting.kind) && posting.status === 'POSTED' && !posting.settled,
    );
    if (!original) return;
    const base = original.cents - original.tipCents;
    const tip = 1 + this.#chance.below(base);
    const answer = await this.#refer('TIP_ADJUST', original, base + tip);
    if (original.tipCents > 0 || original.refundedCents > 0 || !signed.includes(original.card)) {
      assert.equal(answer.status, 422, `a tip on ${original.kind} ${original.stan} was not refused`);
      return;
    }
    expect(answer, 'SUCCESS', `tip on ${original.kind} ${original.stan}`);
    original.cents = base + tip;
    original.tipCents = tip;
  }

  async #completion(): Promise<void> {
    const auth = this.#some(
      (posting) => posting.kind === 'AUTH' && posting.acquirer === 'CUP' && posting.status === 'POSTED',
    );
    if (!auth) return;
    const over = await this.#refer('AUTH_COMP', auth, auth.cents + 1);
    assert.equal(over.status, 422);
    const cents = 1 + this.#chance.below(auth.cents);
    const answer = await this.#refer('AUTH_COMP', auth, cents);
    expect(answer, 'SUCCESS', `completion of ${auth.stan}`);
    auth.status = 'COMPLETED';
    this.#keep('AUTH_COMP', 'CUP', auth.card, cents, answer.body, { completes: auth });
  }

  async #linkedRefund(): Promise<void> {
    const original = this.#some(
      (posting) => ['SALE', 'OFFLINE_SALE', 'AUTH_COMP'].includes(posting.kind) && posting.status === 'POSTED',
    );
    const card = cards.find(({ name }) => name === original?.card);
    if (!original || !card) return;
    const left = original.cents - original.refundedCents;
    const over = await this.#refer('REFUND', original, left + 1);
    assert.equal(over.status, 422, 'a refund above the rest was not refused');
    if (left === 0) return;
    const cents = 1 + this.#chance.below(left);
    const answer = await this.#presented('REFUND', card, { cents, original: original.id }, { refundOf: original });
    expect(answer, 'SUCCESS', `refund of ${original.stan}`);
    original.refundedCents += cents;
  }

  async #settle(mismatch: boolean): Promise<void> {
    await drained(this.#stage);
    if (mismatch) for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, { mode: 'up', mismatch: true });
    const { posId, messageId } = this.#stage.saleRequest();
    const { body } = await this.#stage.post('settlement', { posId, messageId });
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    for (const { acquirer, totals, result } of body.settlements) {
      assert.deepEqual(told(totals), this.#expectedTotals(acquirer), `${acquirer} settled other totals`);
      assert.ok(['BALANCED', 'UPLOADED'].includes(result));
    }
    for (const posting of this.#postings) if (posting.kind !== 'AUTH') posting.settled = true;
    for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, { mode: 'up' });
  }

  #expectedTotals(acquirer: AcquirerName): Json {
    const totals: Record<string, { count: number; cents: number }> = {};
    for (const { kind, cents, status, settled, ...posting } of this.#postings) {
      if (posting.acquirer !== acquirer || kind === 'AUTH' || status !== 'POSTED' || settled) continue;
      const total = (totals[kind] ??= { count: 0, cents: 0 });
      total.count++;
      total.cents += cents;
    }
    return totals;
  }

  async #cancel(): Promise<void> {
    const request = this.#stage.saleRequest();
    const payment = this.#stage.payment(request);
    payment.catch(() => undefined);
    const { posId, messageId } = request;
    for (;;) {
      const { status } = await this.#stage.post('cancel', { posId, messageId });
      if (status === 200) break;
      assert.equal(status, 404, 'the payment had not come in yet');
    }
    assert.equal((await payment).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  }

  async #decline(): Promise<void> {
    for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, { mode: 'up', decline: '51' });
    const answer = await this.#presented(this.#chance.of(['SALE', 'AUTH', 'REFUND'] as const), this.#card());
    assert.equal(answer.body.responseCode, 1051);
    for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, { mode: 'up' });
  }

  /** One operation while its host misbehaves: whatever comes of it, the books stay right. */
  async #outage(): Promise<void> {
    const outage = this.#chance.of(outages);
    const works = outage.mode === 'duplicate';
    for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, outage);
    const original = this.#chance.below(2) === 0 ? this.#some((posting) => voidable(posting)) : undefined;
    if (original) {
      const answer = await this.#refer('VOID', original, original.cents);
      expect(answer, works ? 'SUCCESS' : 'ERROR', `void with the host ${outage.mode}`);
      if (works) this.#voided(original);
    } else {
      const kind = this.#chance.of(['SALE', 'AUTH', 'REFUND', 'OFFLINE_SALE'] as const);
      const card = kind === 'OFFLINE_SALE' ? cards[this.#chance.below(4)] : this.#card();
      if (!card) throw new Error('no card');
      const answer = await this.#presented(kind, card);
      expect(answer, works || kind === 'OFFLINE_SALE' ? 'SUCCESS' : 'ERROR', `${kind} with the host ${outage.mode}`);
    }
    for (const id of ['EDC', 'CUP'] as const) await this.#stage.host(id, { mode: 'up' });
  }

  /** The POS that never heard sends its last request again: the same answer, nothing new. */
  async #repeat(): Promise<void> {
    if (!this.#last || this.#last.answer.status !== 200) return;
    const again = await this.#stage.payment(this.#last.request);
    assert.equal(again.body.terminalTransactionId, this.#last.answer.body.terminalTransactionId);
    assert.equal(again.body.responseResult, this.#last.answer.body.responseResult);
  }

  async #compare(): Promise<void> {
    await drained(this.#stage);
    await assertHostsAgree(this.#stage, this.#postings);
    assert.deepEqual(await this.#stage.unexpected(), []);
  }
}

const voidKinds = {
  SALE: 'VOID_SALE',
  AUTH: 'VOID_AUTH',
  OFFLINE_SALE: 'VOID_OFFLINE',
  AUTH_COMP: 'VOID_AUTH_COMP',
  REFUND: 'VOID_REFUND',
} as const satisfies Record<Kind, string>;

/** By the method's own row of the capability table. */
function possibleVoid({ kind, acquirer }: Posting): boolean {
  return acquirer === 'EDC' ? kind !== 'AUTH' && kind !== 'AUTH_COMP' : kind !== 'OFFLINE_SALE';
}

function voidable(posting: Posting): boolean {
  const { kind, status, settled, refundedCents } = posting;
  return possibleVoid(posting) && status === 'POSTED' && refundedCents === 0 && (!settled || kind === 'AUTH');
}

function told(totals: Json[]): Json {
  return Object.fromEntries(
    totals.map(({ transactionType, count, totalAmount }) => [
      transactionType,
      { count, cents: Math.round(totalAmount * 100) },
    ]),
  );
}

function expect({ body }: HttpAnswer, result: string, what: string): void {
  assert.equal(body.responseResult, result, `${what}: ${body.message}`);
}

/** A walk over a product of its own. Prints its seed, and on failure what it did. */
export async function walked(seed: number, steps: number): Promise<void> {
  const stage = await Stage.open({
    acquirer: { replyTimeoutMs: 150 },
    configuration: { printer: undefined, timeouts: { reversalWaitMs: 1_000 } },
  });
  const walk = new Walk(stage, seed);
  try {
    await walk.run(steps);
  } catch (error) {
    console.error(`walk with seed ${seed} failed after: ${walk.log.slice(-12).join(' ')} (step ${walk.log.length})`);
    throw error;
  } finally {
    await stage.close();
  }
}
