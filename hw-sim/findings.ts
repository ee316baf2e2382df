/** Bytes that the other side should not have sent, or not at that moment. A test with a finding fails. */
export interface Unexpected {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly why: string;
  readonly hex: string;
}

export interface FindingsOptions {
  readonly now: () => Date;
  /** Called after each change. */
  readonly onChange?: () => void;
  readonly entriesMax?: number;
  /** How received bytes are kept. Clear card data and payment codes must not be. */
  readonly toHex?: (bytes: Buffer) => string;
}

/** The hexadecimal digits of at most so many bytes. */
export function upperHex(bytesMax: number): (bytes: Buffer) => string {
  return (bytes) => bytes.toString('hex', 0, bytesMax).toUpperCase();
}

/** A bounded list of findings. The first ones are kept, because they explain the others. */
export class Findings {
  readonly #list: Unexpected[] = [];
  readonly #options: Required<FindingsOptions>;

  constructor(options: FindingsOptions) {
    this.#options = { onChange: () => undefined, entriesMax: 200, toHex: upperHex(512), ...options };
  }

  get list(): readonly Unexpected[] {
    return [...this.#list];
  }

  record(why: string, bytes: Buffer = Buffer.alloc(0)): void {
    const { now, onChange, entriesMax, toHex } = this.#options;
    if (this.#list.length >= entriesMax) return;
    this.#list.push({ at: now().toISOString(), why, hex: toHex(bytes) });
    onChange();
  }

  clear(): void {
    this.#list.length = 0;
    this.#options.onChange();
  }
}
