/** Keeps the newest entries, within a number and a total of bytes. */
export class Ring<Entry> {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  readonly #bytesOf: (entry: Entry) => number;
  #entries: Entry[] = [];
  /** Entries before this one are dropped; they are removed from the array in larger portions. */
  #first = 0;
  #bytes = 0;

  constructor({ entriesMax, bytesMax }: { entriesMax: number; bytesMax: number }, bytesOf: (entry: Entry) => number) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** The entries that it had to drop for this one. */
  push(entry: Entry): readonly Entry[] {
    this.#entries.push(entry);
    this.#bytes += this.#bytesOf(entry);
    const dropped: Entry[] = [];
    while (this.size > this.#entriesMax || (this.#bytes > this.#bytesMax && this.size > 1)) {
      const oldest = this.#entries[this.#first++];
      if (oldest === undefined) break;
      this.#bytes -= this.#bytesOf(oldest);
      dropped.push(oldest);
    }
    if (this.#first > this.#entriesMax) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    return dropped;
  }

  /** Oldest first. */
  list(): Entry[] {
    return this.#entries.slice(this.#first);
  }

  /** Empties it. */
  take(): Entry[] {
    const taken = this.list();
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
    return taken;
  }
}
