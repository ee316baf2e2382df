import { randomUUID } from 'node:crypto';
import type { JournalCheckReport } from '../ports/journal.ts';
import { Marker, type Marks } from './marker.ts';
import type { Statements } from './statements.ts';

/** How the journal that is opened compares with the one that was here last. */
export type Succession = 'same' | 'other' | 'older';

/**
 * One opening of one journal. What the file itself says of it is compared with the marker beside it, which is written after the file:
 * so it never knows of more than the journal, except where the journal was replaced by what it had been before.
 */
export class Life {
  readonly succession: Succession;
  /** When the journal began, or was put back. What was paid before may not be in it. */
  readonly since: string | undefined;
  #marks: Marks;
  readonly #marker: Marker;
  readonly #statements: Statements;
  #isKept = false;

  /** `hadLog`: SQLite's log was there before this opening, and an orderly end removes it. */
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
      // The marker is written before the first payment: a journal with payments and without one was put here.
      const isAlone = !found && starts > 0 && sequence > 0;
      const isOlder = isAlone || (found && (found.replaced || found.starts > starts || found.sequence > sequence));
      this.succession = isOlder ? 'older' : 'same';
    }
    const isNew = !row && sequence === 0;
    const known = typeof row?.['since'] === 'string' ? row['since'] : undefined;
    this.since = isNew || this.succession !== 'same' ? now.toISOString() : known;
    // The one before ended without closing it: killed, or cut off.
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

  /** It was found damaged, and nobody has seen that it is well again. */
  get isDamaged(): boolean {
    return this.#marks.damaged === true;
  }

  /** As it was found by whoever read it through last. */
  get checkReport(): JournalCheckReport {
    const { checkedAt: at } = this.#marks;
    return at === undefined ? { state: 'never' } : { state: 'ok', at };
  }

  /** Why the journal is not the one that was here last, in a sentence; nothing where it is. */
  get putBack(): string | undefined {
    switch (this.succession) {
      case 'same':
        return undefined;
      case 'older':
        return `an older copy of the journal was put back: what was paid since then is not in it, compare with the acquirers' books`;
      case 'other':
        return `this is another journal than the one that was here before: what was paid with that one is not in it`;
      default:
        return this.succession satisfies never;
    }
  }

  /** Within a commit: this opening counts. */
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

  /** That commit stands. */
  noteBegin(): void {
    this.#write({ ...this.#marks, starts: this.#marks.starts + 1 });
  }

  /** What is committed by now is remembered beside the journal. A full disk takes it later. */
  keep(): void {
    const sequence = this.#sequence();
    if (this.#marks.replaced || (this.#isKept && sequence === this.#marks.sequence)) return;
    this.#write({ ...this.#marks, sequence });
  }

  /** It was read through without a fault. */
  markChecked(at: Date): void {
    const { damaged: _healed, ...marks } = this.#marks;
    this.#write({ ...marks, checkedAt: at.toISOString(), sequence: this.#sequence() });
  }

  /** It was read through, and can't be relied on: the next start will not, before it has seen otherwise. */
  markDamaged(): void {
    const { checkedAt: _before, ...marks } = this.#marks;
    this.#write({ ...marks, damaged: true });
  }

  /** What is there now is not what was committed: the next start must know, and read it through. */
  markReplaced(): void {
    const { checkedAt: _before, ...marks } = this.#marks;
    this.#write({ ...marks, damaged: true, replaced: true });
  }

  /** The journal is closed: `sequence` is the last that was in it. */
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
      // Said by the journal itself, which is on the same disk. Without it the next start reads the journal through.
      this.#isKept = false;
    }
  }

  /** Only grows: what moves to the archive leaves it as it was. */
  #sequence(): number {
    const [row] = this.#statements.all(`SELECT seq FROM sqlite_sequence WHERE name = 'event'`);
    return Number(row?.['seq'] ?? 0);
  }
}
