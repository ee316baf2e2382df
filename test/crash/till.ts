import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Posting } from '../e2e/books.ts';
import type { Chance } from '../e2e/chance.ts';
import type { HttpAnswer, Json, Stage } from '../e2e/stage.ts';
import { nextDeal } from './deals.ts';
import type { Moments } from './moments.ts';

/** The answers to one request of a till. */
export interface Told {
  readonly request: Json;
  readonly call: 'payment' | 'settlement';
  /** The first final answer. */
  final?: Json;
  /** A cancel was answered with success. */
  cancelled?: boolean;
}

const againMs = 25;

/**
 * One POS: it sells, adjusts tips, voids, refunds, cancels and settles, and knows only its answers. Without an answer
 * it posts again or enquires until it has a final one.
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

  /** `heard`: called with each final answer as soon as it arrives. */
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
      // Without an answer it is unknown whether the cancel came in time.
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

  /** Sends the last request again: it must get the same answer and start nothing. */
  async #repeat(told: Told): Promise<void> {
    const again = await this.#reached(() => this.#stage.post(told.call, told.request));
    if (again && isFinal(again)) assertSame(told, again.body);
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
