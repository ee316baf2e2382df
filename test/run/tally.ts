import { existsSync, readFileSync } from 'node:fs';
import { missingProgram } from '../support/needs.ts';

/** A test that has ended. */
export interface Counted {
  readonly file: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** Of a test that was skipped, if it says so. */
  readonly why?: string;
}

/** What the tests of all processes came to. */
export class Tally {
  readonly #tests: Counted[] = [];

  /** Adds what a process has written with tally-reporter.ts. */
  add(file: string): void {
    if (!existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    this.#tests.push(...lines.map((line) => JSON.parse(line) as Counted));
  }

  count(verdict: Counted['verdict']): number {
    return this.#tests.filter((each) => each.verdict === verdict).length;
  }

  /** Files with tests that were skipped because a program is missing. */
  get lackingPrograms(): string[] {
    const lacking = this.#tests.filter(({ why }) => why?.startsWith(missingProgram));
    return [...new Set(lacking.map(({ file }) => file))].toSorted();
  }

  /** Each reason for which tests were skipped, and how many; then the sums, as node:test prints them. */
  text(): string {
    const skipped = this.#tests.filter(({ verdict }) => verdict === 'skipped');
    const reasons = Map.groupBy(skipped, ({ why = 'without a reason' }) => why);
    const each = [...reasons].map(([why, tests]) => `  ${tests.length}: ${why}`).toSorted();
    const title = skipped.length === 0 ? [] : [`skipped, ${skipped.length} in all:`];
    const sums = [
      `# tests ${this.#tests.length}`,
      `# pass ${this.count('passed')}`,
      `# fail ${this.count('failed')}`,
      `# skipped ${skipped.length}`,
    ];
    return [...title, ...each, ...sums].join('\n');
  }
}
