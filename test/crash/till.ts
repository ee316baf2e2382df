import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Posting } from '../e2e/books.ts';
import type { Chance } from '../e2e/chance.ts';
import type { HttpAnswer, Json, Stage } from '../e2e/stage.ts';
import { nextDeal } from './deals.ts';
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

const againMs = 25;

/**
 * One POS: it sells, adjusts tips, voids, refunds, cancels and settles, and knows only its answers. Without an answer
 * it posts again or enquires until it has a final one.
 */
export class Till {
  readonly postings: Posting[] = [];
  readonly reported: Reported[] = [];
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
      if (reported.call === 'settlement' || reported.final.terminalTransactionId === undefined) continue;
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
    const reported = this.reported.at(-1);
    if (reported && answer?.status === 200) reported.cancelled = true;
  }

  async #answered(reported: Reported): Promise<Json> {
    this.reported.push(reported);
    const { request, call } = reported;
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
        reported.final = answer.body;
        this.#heard(reported);
        if (reported.cancelled) assert.equal(answer.body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
        if (this.#chance.once(3)) await this.#repeat(reported);
        return answer.body;
      }
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
