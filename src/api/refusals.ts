import type { Duplex } from 'node:stream';
import type { Answer } from './envelope.ts';
import type { Turns } from './turns.ts';

/**
 * Requests that are refused before anybody looks into them: a path that is none, a caller without a key. A connection has so many,
 * and is closed with the last: who sends more of them needs a new connection each time, and has only so many a second.
 */
export class Refusals {
  readonly #most: number;
  readonly #turns: Turns;
  readonly #counts = new WeakMap<Duplex, number>();

  constructor(most: number, turns: Turns) {
    this.#most = most;
    this.#turns = turns;
  }

  async next(socket: Duplex, answer: Answer): Promise<Answer> {
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    await this.#turns.next();
    return count < this.#most ? answer : { ...answer, headers: { ...answer.headers, connection: 'close' } };
  }
}
