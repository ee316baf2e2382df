import type { Duplex } from 'node:stream';
import type { Answer } from './envelope.ts';
import type { Turns } from './turns.ts';

/**
 * Answers requests that are refused before they are examined: an unknown path, a caller without a key. A connection
 * gets a limited number of them and is closed with the last, so that an attacker needs new connections, whose rate is
 * limited.
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
