import { createHash, randomUUID } from 'node:crypto';
import type { JournalCheckReport } from '../payment/contracts/journal.ts';
import { lastSequence } from './trace-table.ts';
import type { Statements } from './statements.ts';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** A marker has a few hundred. */
const bytesMax = 65_536;

/** What is known about a journal without opening it. */
interface Marks {
  /** Identity of the journal, whatever its file name. */
  readonly journal: string;
  /** How often it was opened. */
  readonly starts: number;
  /** The journal was closed in an orderly way. */
  readonly clean: boolean;
  /** The last event seen. There may be later ones. */
  readonly sequence: number;
  /** When the journal was last read through without a fault; absent if it must be read. */
  readonly checkedAt?: string;
  /** A read-through found damage. */
  readonly damaged?: true;
  /**
   * The files were removed, replaced or written by others while the journal was open, so they do not hold all that was
   * committed.
   */
  readonly replaced?: true;
}

/**
 * A small file beside the journal (journal.state), always replaced as a whole. Restoring an older copy of the journal
 * does not restore this file.
 */
class Marker {
  readonly #file: string;

  constructor(journal: string) {
    const { dir, name } = path.parse(journal);
    this.#file = path.join(dir, `${name}.state`);
  }

  /** Undefined if the file is missing or unreadable: then only the journal itself counts. */
  read(): Marks | undefined {
    try {
      const marks = JSON.parse(readMarks(this.#file)) as Partial<Marks>;
      const { journal, starts, sequence } = marks;
      const isWhole = typeof journal === 'string' && Number.isSafeInteger(starts) && Number.isSafeInteger(sequence);
      return isWhole ? (marks as Marks) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The file is on stable storage when this returns. After a power cut, the previous one is still there. */
  write(marks: Marks): void {
    const made = `${this.#file}.new`;
    const descriptor = openSync(made, 'w', 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(marks)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(made, this.#file);
    const directory = openSync(path.dirname(this.#file), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }
}

/** Throws for what is no regular file: opening a FIFO must not wait for its other end. */
function readMarks(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > bytesMax) throw new Error('it is not a marker');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** How the opened journal compares with the one that was last used here. */
export type Succession = 'same' | 'other' | 'older';

/**
 * One opening of one journal. Compares the journal's own counters with the marker file beside it. The marker is written
 * after the journal, so it is never ahead of it, unless the journal was replaced by an older copy.
 */
export class JournalIdentity {
  readonly succession: Succession;
  /** When the journal began, or was restored. Earlier payments may be missing in it. ISO 8601. */
  readonly since: string | undefined;
  #marks: Marks;
  readonly #marker: Marker;
  readonly #statements: Statements;
  #isKept = false;

  /** `hadLog`: SQLite's log existed before this opening. A clean end removes it. */
  constructor(file: string, hadLog: boolean, statements: Statements, now: Date) {
    this.#statements = statements;
    this.#marker = new Marker(file);
    const found = this.#marker.read();
    const [row] = statements.all('SELECT journal, starts, since FROM life');
    const journal = row ? String(row['journal']) : randomUUID();
    const starts = Number(row?.['starts'] ?? 0);
    const sequence = this.#sequence();
    if (found && found.journal !== journal) this.succession = 'other';
    else {
      // The marker is written before the first payment, so a journal with payments and without a marker was copied
      // here.
      const isAlone = !found && starts > 0 && sequence > 0;
      const isOlder = isAlone || (found && (found.replaced || found.starts > starts || found.sequence > sequence));
      this.succession = isOlder ? 'older' : 'same';
    }
    const isNew = !row && sequence === 0;
    const known = typeof row?.['since'] === 'string' ? row['since'] : undefined;
    this.since = isNew || this.succession !== 'same' ? now.toISOString() : known;
    // The process before ended without closing it: it was killed, or the power was cut.
    const wasCut = hadLog || this.succession !== 'same' || found?.clean !== true || found.sequence !== sequence;
    this.#marks = {
      journal,
      starts: Math.max(starts, found?.starts ?? 0),
      clean: false,
      sequence,
      ...(found?.checkedAt !== undefined && !wasCut ? { checkedAt: found.checkedAt } : {}),
      ...(found?.damaged && found.journal === journal ? { damaged: true } : {}),
    };
  }

  /**
   * Identifies this incarnation of the journal: a new journal has another one, and so has an older copy once it was
   * restored.
   */
  get stream(): string {
    return createHash('sha256')
      .update(`${this.#marks.journal} ${this.since ?? ''}`)
      .digest('hex')
      .slice(0, 16);
  }

  /** The journal was found damaged, and no later check has passed. */
  get isDamaged(): boolean {
    return this.#marks.damaged === true;
  }

  /** The result of the last read-through. */
  get checkReport(): JournalCheckReport {
    const { checkedAt: at } = this.#marks;
    return at === undefined ? { state: 'never' } : { state: 'ok', at };
  }

  /** Why the journal is not the one that was last used here, in a sentence; undefined if it is. */
  get putBack(): string | undefined {
    switch (this.succession) {
      case 'same':
        return undefined;
      case 'older':
        return `an older copy of the journal was restored: later payments are not in it, compare with the hosts’ books`;
      case 'other':
        return `this is another journal than the one used here before: payments of that one are not in it`;
      default:
        return this.succession satisfies never;
    }
  }

  /** Within a commit: counts this opening. */
  begin(): void {
    const { run } = this.#statements;
    run('DELETE FROM life');
    run(
      'INSERT INTO life (journal, starts, since) VALUES (?, ?, ?)',
      this.#marks.journal,
      this.#marks.starts + 1,
      this.since ?? null,
    );
  }

  /** Called once that commit has succeeded. */
  noteBegin(): void {
    this.#write({ ...this.#marks, starts: this.#marks.starts + 1 });
  }

  /** Records the journal's present position in the marker. If the disk is full, a later call does it. */
  keep(): void {
    const sequence = this.#sequence();
    if (this.#marks.replaced || (this.#isKept && sequence === this.#marks.sequence)) return;
    this.#write({ ...this.#marks, sequence });
  }

  /** Called after a read-through without a fault. */
  markChecked(at: Date): void {
    const { damaged: _healed, ...marks } = this.#marks;
    this.#write({ ...marks, checkedAt: at.toISOString(), sequence: this.#sequence() });
  }

  /** Called after a read-through that found damage: the next start checks the journal before it is used. */
  markDamaged(): void {
    const { checkedAt: _before, ...marks } = this.#marks;
    this.#write({ ...marks, damaged: true });
  }

  /** Called when the files are not those that were committed to, so that the next start checks them. */
  markReplaced(): void {
    const { checkedAt: _before, ...marks } = this.#marks;
    this.#write({ ...marks, damaged: true, replaced: true });
  }

  /** Called when the journal is closed. `sequence`: its last event. */
  end(sequence: number): void {
    if (!this.#marks.replaced) this.#write({ ...this.#marks, clean: true, sequence });
  }

  last(): number {
    return this.#sequence();
  }

  #write(marks: Marks): void {
    this.#marks = marks;
    try {
      this.#marker.write(marks);
      this.#isKept = true;
    } catch {
      // The journal itself reports such a fault, because it is on the same disk. Without the marker, the next start
      // reads the journal through.
      this.#isKept = false;
    }
  }

  /** Only grows: archiving does not change it. */
  #sequence(): number {
    return lastSequence(this.#statements);
  }
}
