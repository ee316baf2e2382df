import assert from 'node:assert/strict';
import { booked, type Posting, type PostingKind } from './books.ts';
import type { Chance } from './chance.ts';
import { assertPaidBy, type Way } from './customer.ts';
import type { HostName, HttpAnswer, Json, Stage } from './stage.ts';

export interface Presented {
  /** The requested amount; a random one by default. */
  readonly cents?: number;
  readonly fields?: Json;
  /** Further fields of its posting. */
  readonly more?: Partial<Posting>;
  /** The actions of customer and merchant; by default those of the way to pay. */
  readonly present?: (stage: Stage) => Promise<void>;
}

/** A shop whose hosts and devices fail, with independent books of all its payments. */
export class Shop {
  readonly stage: Stage;
  readonly chance: Chance;
  readonly postings: Posting[] = [];
  last: { readonly request: Json; readonly answer: HttpAnswer } | undefined;

  constructor(stage: Stage, chance: Chance) {
    this.stage = stage;
    this.chance = chance;
  }

  cents(): number {
    return 1 + this.chance.below(this.chance.once(10) ? 5_000_000 : 50_000);
  }

  /** A customer pays. An approval is booked, and must have the requested amount and method. */
  async paid(kind: PostingKind, way: Way, presented: Presented = {}): Promise<HttpAnswer> {
    const { cents = this.cents(), fields = {}, more = {}, present = way.present } = presented;
    const { request, answer } = this.stage.begun({
      ...way.request,
      transactionType: kind,
      requestAmount: cents / 100,
      ...fields,
    });
    await present(this.stage);
    return this.heard(kind, way, cents, request, await answer, more);
  }

  /** Books an answer. */
  heard(
    kind: PostingKind,
    way: Way,
    cents: number,
    request: Json,
    answer: HttpAnswer,
    more: Partial<Posting> = {},
  ): HttpAnswer {
    this.last = { request, answer };
    const { responseResult, transactionResult: result } = answer.body;
    if (responseResult !== 'SUCCESS') return answer;
    assertPaidBy(way, result);
    assert.equal(Math.round(result.totalAmount * 100), cents, `${way.name}: another sum was told than asked for`);
    this.postings.push(booked(kind, way, cents, answer.body, more));
    return answer;
  }

  /** A request that needs only an earlier transaction: void, completion, tip adjust. */
  async refer(transactionType: string, original: Posting, cents: number): Promise<HttpAnswer> {
    const fields = { transactionType, requestAmount: cents / 100, originalTerminalTransactionId: original.id };
    const request = this.stage.saleRequest(fields);
    const answer = await this.stage.payment(request);
    this.last = { request, answer };
    return answer;
  }

  some(allowed: (posting: Posting) => boolean): Posting | undefined {
    const choice = this.postings.filter(allowed);
    return choice.length === 0 ? undefined : this.chance.of(choice);
  }

  /** Runs an action while a host is in this mode. */
  async during<T>(id: HostName, mode: Json, work: () => Promise<T>): Promise<T> {
    await this.stage.host(id, mode);
    const result = await work();
    await this.stage.host(id, { mode: 'up' });
    return result;
  }
}

export function expect({ body }: HttpAnswer, result: string, what: string): void {
  assert.equal(body.responseResult, result, `${what}: ${body.message}`);
}

export function refusedAs({ status, body }: HttpAnswer, pointer: string, what: string): void {
  assert.equal(status, 422, `${what} was not refused: ${JSON.stringify(body)}`);
  assert.equal(body.errors[0].pointer, pointer, `${what}: ${body.message}`);
}
