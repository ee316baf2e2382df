import { Turns } from '../../../src/base/http/turns.ts';

/** Turns that the test gives. */
export class GivenTurns extends Turns {
  readonly #waiting: (() => void)[] = [];

  override next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async waiting(count: number): Promise<void> {
    while (this.#waiting.length < count) await new Promise(setImmediate);
  }

  give(): void {
    this.#waiting.shift()?.();
  }
}
