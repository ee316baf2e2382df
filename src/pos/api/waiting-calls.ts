import { type Answer, errorAnswer } from './pos-response.ts';
import type { CallerConnection } from '../contracts/pos-calls.ts';
import type { Owner } from '../../payment/terminal/answers.ts';

/** At most so many calls wait for the end of one payment, one settlement or one cancel. */
const waitingMax = 8;

type Place = 'payment' | 'settlement' | 'cancel';

const refusals = {
  payment: {
    reason: 'transactionRunning',
    message: 'the transaction is under way, and later calls wait for it: enquire',
  },
  cancel: { reason: 'transactionRunning', message: 'the cancel is under way, and later calls wait for it: enquire' },
  settlement: {
    reason: 'settlementRunning',
    message: 'the settlement is under way, and later calls wait for it: enquire',
  },
} as const;

interface Waiting {
  readonly connection: CallerConnection | undefined;
  readonly leave: () => void;
}

/**
 * Calls that wait for the same work. A further call replaces one whose caller may have left, or else the one that has
 * waited longest, whose answer is that the work is in progress. So a POS that repeats its call never blocks itself, and
 * callers that have left keep no place.
 */
export class WaitingCalls {
  readonly #places = new Map<string, Waiting[]>();

  /** The answer once `work` is done. The work continues even if its callers leave before. */
  async answer(
    place: Place,
    { posId, messageId }: Owner,
    connection: CallerConnection | undefined,
    work: Promise<Answer>,
  ): Promise<Answer> {
    const key = JSON.stringify([place, posId, messageId]);
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const leave = () => resolve();
    const own = { connection, leave };
    if (connection?.gone.aborted) leave();
    else this.#take(key, own);
    connection?.gone.addEventListener('abort', leave, { once: true });
    const underWay = () =>
      errorAnswer(409, 'PROCESSING', refusals[place], { posId, messageId, financialImpact: 'UNKNOWN' });
    try {
      return await Promise.race([work, left.then(underWay)]);
    } finally {
      connection?.gone.removeEventListener('abort', leave);
      this.#release(key, own);
    }
  }

  #take(key: string, own: Waiting): void {
    const waiting = this.#places.get(key) ?? [];
    this.#places.set(key, waiting);
    if (waiting.length >= waitingMax) {
      const doubtful = waiting.findIndex(
        ({ connection }) => connection?.gone.aborted || connection?.hasClosedItsSide(),
      );
      for (const { leave } of waiting.splice(Math.max(doubtful, 0), 1)) leave();
    }
    waiting.push(own);
  }

  #release(key: string, own: Waiting): void {
    const left = (this.#places.get(key) ?? []).filter((each) => each !== own);
    if (left.length === 0) this.#places.delete(key);
    else this.#places.set(key, left);
  }
}
