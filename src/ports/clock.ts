/** Time and chance come in from outside, so that a test can own them. */
export interface Clock {
  now(): Date;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

export interface Random {
  bytes(length: number): Uint8Array;
}
