import { createInterface } from 'node:readline';
import { plainLines } from '../../base/domain/plain-text.ts';

/** The operator at the terminal during a self-test. */
export interface Person {
  show(text: string): void;
  /** Undefined if the operator does not answer. */
  confirm(question: string): Promise<boolean | undefined>;
}

/** The operator at this shell: asked on standard error, answers y or n on standard input. */
export class PersonAtShell implements Person {
  readonly #answers: AsyncIterator<string>;
  readonly #lines = createInterface({ input: process.stdin });

  constructor() {
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  show(text: string): void {
    process.stderr.write(`${plainLines(text)}\n`);
  }

  async confirm(question: string): Promise<boolean | undefined> {
    for (;;) {
      process.stderr.write(`${plainLines(question)} [y/n] `);
      const { value, done } = await this.#answers.next();
      if (done) return undefined;
      const answer = value.trim().toLowerCase();
      if (/^(?:y|yes)$/.test(answer)) return true;
      if (/^(?:n|no)$/.test(answer)) return false;
    }
  }

  close(): void {
    this.#lines.close();
  }
}
