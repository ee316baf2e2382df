import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** What is known of a journal without opening it. */
export interface Marks {
  /** Which journal it is, whatever its file is called. */
  readonly journal: string;
  /** How often it was opened. */
  readonly starts: number;
  /** It was closed, and no process just ended with it. */
  readonly clean: boolean;
  /** The last event that was seen in it. There may be later ones. */
  readonly sequence: number;
  /** When it was last read through without a fault. Nothing where it has to be. */
  readonly checkedAt?: string;
  /** It was read through, and is damaged. */
  readonly damaged?: true;
  /** Its files were removed, replaced or written by others while it was open: whatever is there now is not all that was committed. */
  readonly replaced?: true;
}

/** A small file beside the journal (journal.state), written whole: an older copy of the one does not bring back the other. */
export class Marker {
  readonly #file: string;

  constructor(journal: string) {
    const { dir, name } = path.parse(journal);
    this.#file = path.join(dir, `${name}.state`);
  }

  /** Nothing where there is none, or none that can be read: then the journal alone is known. */
  read(): Marks | undefined {
    try {
      const marks = JSON.parse(readFileSync(this.#file, 'utf8')) as Partial<Marks>;
      const { journal, starts, sequence } = marks;
      const isWhole = typeof journal === 'string' && Number.isSafeInteger(starts) && Number.isSafeInteger(sequence);
      return isWhole ? (marks as Marks) : undefined;
    } catch {
      return undefined;
    }
  }

  /** It is on stable storage when this returns. A cut leaves the one before. */
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
