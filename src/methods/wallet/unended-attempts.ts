import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';

/** What the journal counts at most (terminal/store-and-forward.ts). */
const countedMost = 100;

/**
 * Refunds of which every attempt so far only enquired, and sent nothing that ends them. A restart forgets that: then an
 * earlier attempt may have ended the refund, and what a lagging enquiry still shows of it proves nothing.
 */
export class UnendedAttempts {
  readonly #attempts = new Map<TerminalTransactionId, number>();

  /** `before`: the attempts that the journal has counted. */
  mayBeEnded(id: TerminalTransactionId, before: number): boolean {
    return before > 0 && this.#attempts.get(id) !== before;
  }

  /** This attempt, after so many, has only enquired. */
  noteEnquiry(id: TerminalTransactionId, before: number): void {
    this.#attempts.set(id, Math.min(before + 1, countedMost));
  }

  forget(id: TerminalTransactionId): void {
    this.#attempts.delete(id);
  }
}
