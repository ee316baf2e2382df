import assert from 'node:assert/strict';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import type { Way } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage, type StageOptions } from './stage.ts';

/** A till that takes wallets, and keeps what it was told. */
export class WalletTill {
  readonly stage: Stage;
  reported: Posting[] = [];

  static async open({ configuration: more, ...options }: StageOptions = {}): Promise<WalletTill> {
    const timeouts = { walletMs: 1_500 };
    const configuration = { printer: undefined, timeouts, ...more };
    return new WalletTill(await Stage.open({ acquirer: { replyTimeoutMs: 200 }, ...options, configuration }));
  }

  private constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Whatever was told by now stands in the host's books, and nothing else does. Starts anew. */
  async assertBooks(): Promise<void> {
    const { stage } = this;
    const books = this.reported;
    this.reported = [];
    await stage.host('QR', { mode: 'up' });
    try {
      await drained(stage);
      await assertHostsAgree(stage, books);
      await stage.assertDisarmed();
      assert.deepEqual(await stage.unexpected(), []);
    } finally {
      await stage.sim('POST', '/api/reset', {});
    }
  }

  /** Keeps what was told of a sale. */
  keep(way: Way, { body }: HttpAnswer): Json {
    if (body.responseResult === 'SUCCESS') this.reported.push(booked('SALE', way, 3_000, body));
    return body;
  }

  /** A sale that stands. */
  async sold(way: Way): Promise<Posting> {
    const body = this.keep(way, await this.stage.paid(way));
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    return this.reported.at(-1) ?? assert.fail('nothing was kept');
  }

  refer(transactionType: string, { id, cents }: Posting): Promise<HttpAnswer> {
    return this.stage.payment(
      this.stage.saleRequest({ transactionType, requestAmount: cents / 100, originalTerminalTransactionId: id }),
    );
  }

  bookRefund(original: Posting, body: Json): Posting {
    original.refundedCents = original.cents;
    const refund = booked('REFUND', original.way, original.cents, body, { refundOf: original });
    this.reported.push(refund);
    return refund;
  }

  /** Not paid, and in the end nobody's money has moved. */
  async assertNothing(body: Json, result: string, impacts: readonly string[] = ['NONE']): Promise<void> {
    assert.equal(body.responseResult, result, body.message);
    assert.ok(impacts.includes(body.financialImpact), body.financialImpact);
    await this.stage.host('QR', { mode: 'up' });
    const undone = impacts.includes('NONE') ? 'NONE' : 'REVERSED';
    await eventually(
      () => this.stage.enquiry(body),
      (enquiry) => enquiry.body.financialImpact === undone,
    );
  }
}
