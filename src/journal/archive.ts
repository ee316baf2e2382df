import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import { JournalError, type JournalledTransaction } from '../ports/journal.ts';

/** Where in the archive a transaction lies. */
export interface Archived {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
}

/**
 * Old transactions, a file for each month in which they began (UTC): JSON, one line and one gzip member each (RFC 1952 §2.2), so
 * that `zcat` reads all and this reads one. What lies beyond the length that the journal has committed is of a portion that was
 * cut off; the next one writes over it.
 */
export class Archive {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  fileOf(transaction: JournalledTransaction): string {
    return `archive-${transaction.events[0]?.at.slice(0, 7) ?? 'undated'}.jsonl.gz`;
  }

  /**
   * Appends behind the `committed` first bytes. It is on stable storage when this returns. Throws JournalError 'storage', naming the
   * file, where that can't be.
   */
  append(file: string, committed: number, transactions: readonly JournalledTransaction[]): Archived[] {
    try {
      return this.#appended(file, committed, transactions);
    } catch (error) {
      if (error instanceof JournalError) throw error;
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new JournalError('storage', `the archive ${file} of the journal can't be written (${code})`);
    }
  }

  #appended(file: string, committed: number, transactions: readonly JournalledTransaction[]): Archived[] {
    const descriptor = openSync(path.join(this.#dir, file), committed === 0 ? 'w+' : 'r+', 0o600);
    try {
      if (fstatSync(descriptor).size < committed) throw missing(file);
      ftruncateSync(descriptor, committed);
      let at = committed;
      const places = transactions.map((transaction) => {
        const member = gzipSync(`${JSON.stringify(transaction)}\n`);
        for (let written = 0; written < member.length; ) {
          written += writeSync(descriptor, member, written, member.length - written, at + written);
        }
        const place = { file, at, bytes: member.length };
        at += member.length;
        return place;
      });
      fsyncSync(descriptor);
      if (committed === 0) this.#syncDirectory();
      return places;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Throws JournalError 'storage', naming the file, where it is gone or damaged. */
  read(id: TerminalTransactionId, { file, at, bytes }: Archived): JournalledTransaction {
    try {
      const member = Buffer.alloc(bytes);
      const descriptor = openSync(path.join(this.#dir, file), 'r');
      try {
        readSync(descriptor, member, 0, bytes, at);
      } finally {
        closeSync(descriptor);
      }
      const transaction = JSON.parse(gunzipSync(member).toString('utf8')) as JournalledTransaction;
      if (transaction.id === id) return transaction;
    } catch {
      // Said below, whatever it is.
    }
    throw missing(file);
  }

  /** A new file's name is part of its directory. */
  #syncDirectory(): void {
    const descriptor = openSync(this.#dir, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

function missing(file: string): JournalError {
  return new JournalError('storage', `the archive ${file} of the journal is missing or damaged`);
}
