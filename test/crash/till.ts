import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Posting } from '../e2e/books.ts';
import type { Chance } from '../e2e/chance.ts';
import type { HttpAnswer, Json, Stage } from '../e2e/stage.ts';
import { type Deal, nextDeal } from './deals.ts';
import type { Moments } from './moments.ts';

/** The answers to one request of a till. */
export interface Reported {
  readonly request: Json;
  readonly call: 'payment' | 'settlement';
  /** The first final answer. */
  final?: Json;
  /** A cancel was answered with success. */
  cancelled?: boolean;
}

/** A refund or void by its original whose outcome stayed unknown: its host may never have received it. */
export interface Undecided {
  /** terminalTransactionId */
  readonly id: string;
  readonly reported: Reported;
  readonly deal: Deal;
}

const againMs = 25;
/** A till asks for as long as this; a request that its host received has its outcome long before. */
const unknownMost = 400;
/** No other request may be without a final answer for longer than this. */
const finalMs = 180_000;

/**
 * One POS: it sells, adjusts tips, voids, refunds, cancels and settles, and knows only its answers. Without an answer
 * it posts again or enquires until it has a final one.
 */
export class Till {
  readonly postings: Posting[] = [];
  readonly reported: Reported[] = [];
  readonly undecided: Undecided[] = [];
  readonly #stage: Stage;
  readonly #posId: string;
  readonly #chance: Chance;
  readonly #moments: Moments;
  readonly #failed: AbortSignal;
  readonly #heard: (reported: Reported) => void;
  #open = true;

  /** `heard`: called with each final answer as soon as it arrives. */
  constructor(
    stage: Stage,
    posId: string,
    chance: Chance,
    moments: Moments,
    failed: AbortSignal,
    heard: (reported: Reported) => void = () => undefined,
  ) {
    this.#stage = stage;
    this.#posId = posId;
    this.#chance = chance;
    this.#moments = moments;
    this.#failed = failed;
    this.#heard = heard;
  }

  /** Runs until it is closed; a request that was begun is finished. */
  async serve(): Promise<void> {
    while (this.#open) {
      if (this.#chance.once(40)) await this.#answered({ call: 'settlement', request: this.#request() });
      else await this.#deal();
    }
  }

  close(): void {
    this.#open = false;
  }

  /** Enquires every request again and compares the answers. */
  async assertReported(): Promise<void> {
    for (const reported of this.reported) {
      if (reported.call === 'settlement' || reported.final?.terminalTransactionId === undefined) continue;
      const { status, body } = await this.#stage.enquiry(reported.request);
      assert.equal(status, 200, `${reported.request.messageId} is lost: ${body.message}`);
      assertSame(reported, body);
    }
  }

  #request(fields: Json = {}): Json {
    return { posId: this.#posId, messageId: `${this.#posId}-${this.reported.length + 1}`, ...fields };
  }

  async #deal(): Promise<void> {
    const deal = nextDeal(this.postings, this.#chance);
    const request = this.#request(deal.fields);
    const reported: Reported = { call: 'payment', request };
    const answered = this.#answered(reported, deal.wallets);
    const cancels = deal.isPresented && this.#chance.once(8);
    const [body] = await Promise.all([answered, ...(cancels ? [this.#cancel(request)] : [])]);
    if (reported.final) conclude(deal, body);
    else {
      this.undecided.push({ id: body.terminalTransactionId, reported, deal });
      if (deal.wallets) deal.wallets.undecided = true;
    }
  }

  /** Asks again for what was undecided. Returns what still is. */
  async stillUndecided(): Promise<readonly Undecided[]> {
    const open: Undecided[] = [];
    for (const undecided of this.undecided) {
      const { reported, deal } = undecided;
      if (reported.final) continue;
      const answer = await this.#stage.enquiry(reported.request);
      if (!isFinal(answer)) open.push(undecided);
      else {
        reported.final = answer.body;
        conclude(deal, answer.body);
      }
    }
    return open;
  }

  async #cancel(request: Json): Promise<void> {
    await pause(this.#chance.below(150));
    const answer = await this.#reached(() => this.#stage.cancel(request));
    this.#moments.is('cancelled');
    const reported = this.reported.at(-1);
    if (reported && answer?.status === 200) reported.cancelled = true;
  }

  /** The final answer. `wallets`: the original at a wallet; then the last answer, if it stays unknown. */
  async #answered(reported: Reported, wallets?: Posting): Promise<Json> {
    this.reported.push(reported);
    const { request, call } = reported;
    let posts = true;
    let unknown = 0;
    const until = performance.now() + finalMs;
    for (;;) {
      this.#failed.throwIfAborted();
      const sends = posts || call === 'settlement' || this.#chance.once(2);
      const asked = this.#reached(() => (sends ? this.#stage.post(call, request) : this.#stage.enquiry(request)));
      this.#moments.is('asked');
      const answer = await asked;
      // Without an answer it is unknown whether the cancel came in time.
      posts = answer?.status === 404 || answer?.status === 409;
      if (answer && isFinal(answer)) {
        this.#moments.is('answered');
        reported.final = answer.body;
        this.#heard(reported);
        if (reported.cancelled) assert.equal(answer.body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
        if (this.#chance.once(3)) await this.#repeat(reported);
        return answer.body;
      }
      if (answer?.body.responseResult === 'UNKNOWN' && ++unknown >= unknownMost && wallets) return answer.body;
      const last = () => `${request.messageId} has no final answer, the last is ${JSON.stringify(answer?.body)}`;
      if (performance.now() > until) assert.fail(last());
      await pause(againMs);
    }
  }

  /** Sends the last request again: it must get the same answer and start nothing. */
  async #repeat(reported: Reported): Promise<void> {
    const again = await this.#reached(() => this.#stage.post(reported.call, reported.request));
    if (again && isFinal(again)) assertSame(reported, again.body);
  }

  /** Undefined if the terminal is killed meanwhile. */
  async #reached(call: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    try {
      return await call();
    } catch (error) {
      // fetch() throws so for a lost connection, and JSON.parse for a body that was cut.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function conclude(deal: Deal, body: Json): void {
  if (body.responseResult === 'SUCCESS') deal.done(body);
  else if (body.errors) deal.refused();
}

function isFinal({ status, body }: HttpAnswer): boolean {
  return (status === 200 || status === 422) && !['PROCESSING', 'UNKNOWN'].includes(body.responseResult);
}

function assertSame({ request, final }: Reported, body: Json): void {
  const facts = ({ responseResult, terminalTransactionId, transactionResult, settlements }: Json) => {
    const { trace, approvalCode, totalAmount, paymentMethod } = transactionResult ?? {};
    return { responseResult, terminalTransactionId, trace, approvalCode, totalAmount, paymentMethod, settlements };
  };
  assert.deepEqual(facts(body), facts(final), `${request.messageId} was told in two ways`);
}
