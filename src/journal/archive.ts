import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import type { JournalledTransaction, StoredEvent } from '../payment/events/event.ts';
import { withoutCardNumber } from '../payment/events/card-number.ts';
import { withFormat, parseEvent, readEvent, storedEvent } from '../payment/events/format.ts';
import { erasingSchema } from './schema.ts';

/** Opening does not truncate: an existing file keeps its content. */
const made = constants.O_RDWR | constants.O_CREAT;

/**
 * A transaction is a kilobyte or two: a window of 4 KiB holds it, and is as good for it as zlib's own of 32. By default
 * Node allocates 284 KiB for each, and frees them at its next garbage collection (zlib.h, deflateInit2: the size of the
 * state).
 */
const smallMember = { windowBits: 12, memLevel: 5, chunkSize: 2_048 };

/** In the names of files without card numbers. */
const bareMark = '.v2';

/** Overwritten in one piece: a call of the journal waits for it. */
const overwrittenBytes = 1_048_576;

/** The place of a transaction in the archive. */
export interface Archived {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
}

/**
 * The archive of old transactions: one file for each month in which they began (UTC). Each transaction is one line of
 * JSON and one gzip member (RFC 1952 §2.2), so that `zcat` reads a file and this class reads one transaction. A file
 * that is longer than the journal knows is not touched, and another one is begun: only bytes that this process itself
 * has written without a commit are overwritten.
 */
export class Archive {
  readonly #dir: string;
  /** Length of each file after this process's own writes, committed or not. */
  readonly #written = new Map<string, number>();

  readonly #schema: number;

  /** `schema`: of the journal, whose versions must also read the archive. */
  constructor(dir: string, schema: number) {
    this.#dir = dir;
    this.#schema = schema;
  }

  fileOf(transaction: JournalledTransaction): string {
    const month = transaction.events[0]?.at.slice(0, 7) ?? 'undated';
    return `archive-${month}${this.#schema < erasingSchema ? '' : bareMark}.jsonl.gz`;
  }

  /** Whether it may have card numbers: those of an earlier schema do. */
  mayHaveCards(file: string): boolean {
    return !file.includes(`${bareMark}.`);
  }

  /**
   * Appends to `month`, or to a follow-up file if `month` is longer than the journal has `committed`. The data is on
   * stable storage when this returns. Throws JournalError 'storage', which names the file.
   */
  append(
    month: string,
    committed: (file: string) => number,
    transactions: readonly JournalledTransaction[],
  ): readonly Archived[] {
    const file = this.#free(month, committed);
    try {
      return this.#appendTo(file, committed(file), transactions);
    } catch (error) {
      if (error instanceof JournalError) throw error;
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new JournalError('storage', `the archive ${file} of the journal can't be written (${code})`);
    }
  }

  /** The first file of this month whose end is known. */
  #free(month: string, committed: (file: string) => number): string {
    for (let ordinal = 1; ; ordinal++) {
      const file = ordinal === 1 ? month : month.replace('.jsonl', `.${ordinal}.jsonl`);
      const size = statSync(path.join(this.#dir, file), { throwIfNoEntry: false })?.size ?? 0;
      if (size <= committed(file) || size === this.#written.get(file)) return file;
    }
  }

  #appendTo(file: string, committed: number, transactions: readonly JournalledTransaction[]): Archived[] {
    const descriptor = openSync(path.join(this.#dir, file), committed === 0 ? made : 'r+', 0o600);
    try {
      if (fstatSync(descriptor).size < committed) throw unreadable(file, this.#dir);
      ftruncateSync(descriptor, committed);
      let at = committed;
      const places = transactions.map((transaction) => {
        const member = gzipSync(`${lineOf(transaction, this.#schema)}\n`, smallMember);
        for (let written = 0; written < member.length; ) {
          written += writeSync(descriptor, member, written, member.length - written, at + written);
          this.#written.set(file, at + written);
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

  /** Throws JournalError 'archive' if a file is shorter than what was committed. */
  present(file: string, committed: number): void {
    const size = statSync(path.join(this.#dir, file), { throwIfNoEntry: false })?.size ?? 0;
    if (size < committed) throw unreadable(file, this.#dir);
  }

  /** Throws JournalError 'archive', which names the file, if it is missing or damaged. */
  read(id: TerminalTransactionId, { file, at, bytes }: Archived): JournalledTransaction {
    try {
      const member = Buffer.alloc(bytes);
      // O_NONBLOCK: opening a FIFO would otherwise wait for its other end.
      const descriptor = openSync(path.join(this.#dir, file), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        readSync(descriptor, member, 0, bytes, at);
      } finally {
        closeSync(descriptor);
      }
      const line = JSON.parse(gunzipSync(member).toString('utf8')) as ArchivedTransaction;
      if (line.id === id) return { id, events: line.events.map(readArchived) };
    } catch {
      // Reported below, whatever the cause.
    }
    throw unreadable(file, this.#dir);
  }

  /**
   * Overwrites the next piece of a file that nothing refers to, and removes it in the end. Returns where the next piece
   * begins; undefined once there is no such file. Throws JournalError 'storage', which names the file.
   */
  overwrite(file: string, from: number): number | undefined {
    const name = path.join(this.#dir, file);
    const size = statSync(name, { throwIfNoEntry: false })?.size;
    try {
      if (size !== undefined && from < size) {
        const piece = Buffer.alloc(Math.min(overwrittenBytes, size - from));
        const descriptor = openSync(name, 'r+');
        try {
          writeSync(descriptor, piece, 0, piece.length, from);
          fsyncSync(descriptor);
        } finally {
          closeSync(descriptor);
        }
        return from + piece.length;
      }
      rmSync(name, { force: true });
      this.#written.delete(file);
      this.#syncDirectory();
      return undefined;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new JournalError('storage', `the archive ${file} of the journal can't be removed (${code})`);
    }
  }

  /** A new file's name is only durable once its directory is synced. */
  #syncDirectory(): void {
    const descriptor = openSync(this.#dir, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** A transaction as its line stores it. An event that could not be read stays a string, as it was. */
interface ArchivedTransaction {
  readonly id: TerminalTransactionId;
  readonly events: readonly { readonly at: string; readonly event: object | string }[];
}

function lineOf({ id, events }: JournalledTransaction, schema: number): string {
  const bare = schema < erasingSchema ? (json: string) => json : withoutCardNumber;
  const keep = (event: StoredEvent['event']) =>
    event.kind === 'unreadable' ? bare(event.body) : withFormat(event, schema);
  const line: ArchivedTransaction = { id, events: events.map(({ at, event }) => ({ at, event: keep(event) })) };
  return bare(JSON.stringify(line));
}

function readArchived({ at, event }: ArchivedTransaction['events'][number]): StoredEvent {
  return storedEvent(at, typeof event === 'string' ? parseEvent(event) : readEvent(event));
}

function unreadable(file: string, dir: string): JournalError {
  const whatToDo = `put it back into ${dir} from a backup`;
  return new JournalError('archive', `the archive ${file} of the journal is missing or damaged: ${whatToDo}`);
}
