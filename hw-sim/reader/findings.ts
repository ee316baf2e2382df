/** Bytes that no driver should send, or not at that moment. */
export interface Unexpected {
  /** ISO 8601. */
  readonly at: string;
  readonly hex: string;
  readonly why: string;
}

const entriesMax = 200;

/** A bounded list of findings. The first ones are kept, because they explain the others. */
export class Findings {
  readonly #entries: Unexpected[] = [];
  readonly #now: () => Date;
  readonly #changed: () => void;

  constructor(now: () => Date, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  get entries(): readonly Unexpected[] {
    return this.#entries;
  }

  record(bytes: Buffer, why: string): void {
    if (this.#entries.length >= entriesMax) return;
    this.#entries.push({ at: this.#now().toISOString(), hex: bytes.toString('hex'), why });
    this.#changed();
  }

  clear(): void {
    this.#entries.length = 0;
    this.#changed();
  }
}
