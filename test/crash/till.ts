import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Posting } from '../e2e/books.ts';
import type { Chance } from '../e2e/chance.ts';
import type { HttpAnswer, Json, Stage } from '../e2e/stage.ts';
import { nextDeal } from './deals.ts';
import type { Moments } from './moments.ts';

/** What a till was told of one of its requests. */
export interface Told {
  readonly request: Json;
  readonly call: 'payment' | 'settlement';
  /** The first answer that is final. */
  final?: Json;
  /** Its payment was cancelled, as a cancel was answered. */
  cancelled?: boolean;
}

const againMs = 25;

/**
 * One POS: sells, takes tips, voids, refunds, cancels, settles, and knows only what it was told. Where no answer comes it posts again or enquires,
 * until there is one that is final.
 */
export class Till {
  readonly postings: Posting[] = [];
  readonly told: Told[] = [];
  readonly #stage: Stage;
  readonly #posId: string;
  readonly #chance: Chance;
  readonly #moments: Moments;
  readonly #failed: AbortSignal;
  readonly #heard: (told: Told) => void;
  #open = true;

  /** `heard`: called with each final answer, as soon as it is there. */
  constructor(
    stage: Stage,
    posId: string,
    chance: Chance,
    moments: Moments,
    failed: AbortSignal,
    heard: (told: Told) => void = () => undefined,
  ) {
    this.#stage = stage;
    this.#posId = posId;
    this.#chance = chance;
    this.#moments = moments;
    this.#failed = failed;
    this.#heard = heard;
  }

  /** Until it is closed; what was begun is brought to its end. */
  async serve(): Promise<void> {
    while (this.#open) {
      if (this.#chance.once(40)) await this.#answered({ call: 'settlement', request: this.#request() });
      else await this.#deal();
    }
  }

  close(): void {
    this.#open = false;
  }

  /** Asks once more for everything: what was told stays true. */
  async assertTold(): Promise<void> {
    for (const told of this.told) {
      if (told.call === 'settlement' || told.final.terminalTransactionId === undefined) continue;
      const { status, body } = await this.#stage.enquiry(told.request);
      assert.equal(status, 200, `${told.request.messageId} is lost: ${body.message}`);
      assertSame(told, body);
    }
  }

  #request(fields: Json = {}): Json {
    return { posId: this.#posId, messageId: `${this.#posId}-${this.told.length + 1}`, ...fields };
  }

  async #deal(): Promise<void> {
    const deal = nextDeal(this.postings, this.#chance);
    const request = this.#request(deal.fields);
    const answered = this.#answered({ call: 'payment', request });
    const cancels = deal.isPresented && this.#chance.once(8);
    const [body] = await Promise.all([answered, ...(cancels ? [this.#cancel(request)] : [])]);
    if (body.responseResult === 'SUCCESS') deal.done(body);
    else if (body.errors) deal.refused();
  }

  async #cancel(request: Json): Promise<void> {
    await pause(this.#chance.below(150));
    const answer = await this.#reached(() => this.#stage.cancel(request));
    this.#moments.is('cancelled');
    const told = this.told.at(-1);
    if (told && answer?.status === 200) told.cancelled = true;
  }

  async #answered(told: Told): Promise<Json> {
    this.told.push(told);
    const { request, call } = told;
    let posts = true;
    for (;;) {
      this.#failed.throwIfAborted();
      const sends = posts || call === 'settlement' || this.#chance.once(2);
      const asked = this.#reached(() => (sends ? this.#stage.post(call, request) : this.#stage.enquiry(request)));
      this.#moments.is('asked');
      const answer = await asked;
      // Without an answer nobody knows whether it came that far.
      posts = answer?.status === 404 || answer?.status === 409;
      if (answer && isFinal(answer)) {
        this.#moments.is('answered');
        told.final = answer.body;
        this.#heard(told);
        if (told.cancelled) assert.equal(answer.body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
        if (this.#chance.once(3)) await this.#repeat(told);
        return answer.body;
      }
      await pause(againMs);
    }
  }

  /** The POS that is not sure sends its last request again: the same answer, nothing new. */
  async #repeat(told: Told): Promise<void> {
    const again = await this.#reached(() => this.#stage.post(told.call, told.request));
    if (again && isFinal(again)) assertSame(told, again.body);
  }

  /** Nothing where the terminal is cut off meanwhile. */
  async #reached(call: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    try {
      return await call();
    } catch (error) {
      // fetch() says so of connections, and a body that breaks off is no JSON.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function isFinal({ status, body }: HttpAnswer): boolean {
  return (status === 200 || status === 422) && !['PROCESSING', 'UNKNOWN'].includes(body.responseResult);
}

function assertSame({ request, final }: Told, body: Json): void {
  const facts = ({ responseResult, terminalTransactionId, transactionResult, settlements }: Json) => {
    const { trace, approvalCode, totalAmount, paymentMethod } = transactionResult ?? {};
    return { responseResult, terminalTransactionId, trace, approvalCode, totalAmount, paymentMethod, settlements };
  };
  assert.deepEqual(facts(body), facts(final), `${request.messageId} was told in two ways`);
}
