/** Something that no sound terminal sends. */
export interface Unexpected {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly why: string;
  /** The body as it came, cut to 512 bytes; none where it had a payment code in it. */
  readonly hex: string;
}

const unexpectedMax = 500;
const unexpectedBytesMax = 512;

export class Findings {
  readonly #list: Unexpected[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  get list(): readonly Unexpected[] {
    return [...this.#list];
  }

  record(why: string, bytes: Buffer = Buffer.alloc(0)): void {
    if (this.#list.length >= unexpectedMax) return;
    const secret = bytes.includes('auth_code');
    const hex = secret ? '' : bytes.toString('hex', 0, unexpectedBytesMax).toUpperCase();
    this.#list.push({ at: this.#now().toISOString(), why, hex });
  }

  clear(): void {
    this.#list.length = 0;
  }
}
