import type { Commits } from './database.ts';
import type { FoundNumbers } from './card-numbers.ts';
import type { Renewed } from './archive-renewal.ts';
import type { Tables } from './tables.ts';
import { erasingSchema } from './schema.ts';

/** Removes card numbers from the journal and its archive. Each call is one commit at most, in a few milliseconds. */
export class Erasing {
  readonly #tables: Tables;
  readonly #commits: Commits;
  readonly #archive: Tables['archive'];
  /** Whether this journal's schema lets them be removed. */
  readonly isAllowed: boolean;

  constructor(tables: Tables, commits: Commits, schema: number) {
    this.#tables = tables;
    this.#commits = commits;
    this.#archive = tables.archive;
    this.isAllowed = schema >= erasingSchema;
  }

  find(after: number): FoundNumbers {
    return this.#tables.cardNumbers.find(after);
  }

  /** Returns the events whose card number is still needed. */
  erase(events: readonly number[], before: Date): number[] {
    return this.#commits.commit(() => this.#tables.cardNumbers.erase(events, before));
  }

  /** The archive's files with card numbers. */
  files(): string[] {
    return this.#tables.renewal.files();
  }

  renew(after: string, limit: number): Renewed {
    return this.#commits.commit(() => this.#tables.renewal.renew(after, limit));
  }

  /**
   * Removes the next piece of an archive file to which nothing refers. Returns where the next piece begins; undefined
   * once it is removed.
   */
  remove(file: string, from: number): number | undefined {
    if (from === 0) this.#commits.commit(() => this.#tables.renewal.markEmptied(file));
    const next = this.#archive.overwrite(file, from);
    if (next === undefined) this.#commits.commit(() => this.#tables.renewal.forget(file));
    return next;
  }

  /** When this returns, the files have no copy of the overwritten content. */
  emptyLog(): void {
    this.#commits.emptyLog();
  }
}
