/** Bytes that no correct terminal sends. */
export interface Unexpected {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly why: string;
  /** The received bytes, at most 512; empty if they contain clear card data or a payment code. */
  readonly hex: string;
}

const unexpectedMax = 500;
const unexpectedBytesMax = 512;

export class Findings {
  readonly #list: Unexpected[] = [];
  readonly #now: () => Date;
  readonly #isSecret: (bytes: Buffer) => boolean;

  /** `isSecret`: whether these bytes must not be kept. */
  constructor(now: () => Date, isSecret: (bytes: Buffer) => boolean = () => false) {
    this.#now = now;
    this.#isSecret = isSecret;
  }

  get list(): readonly Unexpected[] {
    return [...this.#list];
  }

  record(why: string, bytes: Buffer = Buffer.alloc(0)): void {
    if (this.#list.length >= unexpectedMax) return;
    const hex = this.#isSecret(bytes) ? '' : bytes.toString('hex', 0, unexpectedBytesMax).toUpperCase();
    this.#list.push({ at: this.#now().toISOString(), why, hex });
  }

  clear(): void {
    this.#list.length = 0;
  }
}
