import { Turns } from '../../../src/base/http/turns.ts';

/** Turns that the test gives. */
export class GivenTurns extends Turns {
  readonly #waiting: (() => void)[] = [];
  readonly callers: string[] = [];

  override next(caller: string): Promise<void> {
    this.callers.push(caller);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async waiting(count: number): Promise<void> {
    while (this.#waiting.length < count) await new Promise(setImmediate);
  }

  give(): void {
    this.#waiting.shift()?.();
  }
}
