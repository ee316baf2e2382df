import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** What the terminal keeps, as files of its state directory. */
export class Kept {
  readonly #stateDir: string;
  /** Of each archive file: how far it was read, and the transactions up to there. */
  readonly #read = new Map<string, { bytes: number; lines: number }>();

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  get journalBytes(): number {
    return this.#bytes(['journal.db', 'journal.db-wal']);
  }

  get archiveBytes(): number {
    return this.#bytes(this.#archives());
  }

  /** Transactions in the archive: a line of JSON each. */
  archived(): number {
    for (const name of this.#archives()) {
      const read = this.#read.get(name) ?? { bytes: 0, lines: 0 };
      const fresh = readFrom(path.join(this.#stateDir, name), read.bytes);
      const more = lines(fresh);
      if (more !== undefined) this.#read.set(name, { bytes: read.bytes + fresh.length, lines: read.lines + more });
    }
    return [...this.#read.values()].reduce((sum, read) => sum + read.lines, 0);
  }

  #archives(): string[] {
    return readdirSync(this.#stateDir).filter((name) => /^archive-.*\.jsonl\.gz$/.test(name));
  }

  #bytes(names: readonly string[]): number {
    return names
      .map((name) => path.join(this.#stateDir, name))
      .filter((file) => existsSync(file))
      .reduce((sum, file) => sum + statSync(file).size, 0);
  }
}

/** What a file has from that place on: years of an archive are not read anew each night. */
function readFrom(file: string, place: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - place));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, place));
  } finally {
    closeSync(descriptor);
  }
}

/** Nothing where the last member is still being written. */
function lines(members: Buffer): number | undefined {
  if (members.length === 0) return undefined;
  try {
    return gunzipSync(members).toString('latin1').split('\n').length - 1;
  } catch {
    return undefined;
  }
}
