import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** A marker has a few hundred. */
const bytesMax = 65_536;

/** What is known about a journal without opening it. */
export interface Marks {
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
export class Marker {
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
