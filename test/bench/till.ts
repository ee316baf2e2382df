import { Caller, sale } from './caller.ts';
import type { ShopCounter } from './shop-counter.ts';

/** A POS that sells for 30.00 HKD to a card at a counter. */
export class Till {
  readonly #pos = new Caller();
  readonly #api: string;
  readonly #counter: ShopCounter;
  readonly #begin: string;
  #sold = 0;
  /** Bytes of the last answer. */
  answerBytes = 0;

  /** `begin`: of each messageId, where the journal has sales of another till. */
  constructor(api: string, counter: ShopCounter, begin = '') {
    this.#api = api;
    this.#counter = counter;
    this.#begin = begin;
  }

  get lastMessage(): string {
    return `${this.#begin}${this.#sold}`;
  }

  /** Resolves to the milliseconds from the POST to its answer. Rejects where it is not paid. */
  async sell(): Promise<number> {
    const card = this.#counter.present();
    // A sale that fails says why; the reader only that it was ended.
    card.catch(() => undefined);
    const from = performance.now();
    await this.pay();
    const tookMs = performance.now() - from;
    await card;
    return tookMs;
  }

  /** The sale alone: its card is held by somebody else. */
  async pay(): Promise<void> {
    this.#sold += 1;
    const answer = await this.#pos.does(`${this.#api}/payment`, sale(this.lastMessage));
    this.answerBytes = JSON.stringify(answer).length;
    if ((answer as { responseResult?: string }).responseResult !== 'SUCCESS') {
      throw new Error(`a sale was answered ${JSON.stringify(answer)}`);
    }
  }

  close(): void {
    this.#pos.close();
  }
}
