import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';

/**
 * How many attempts of an advice surely did not leave the terminal. Any other attempt may be posted, whatever the host
 * answers to a later one. A restart forgets the count, and then each earlier attempt is one that may be posted.
 */
export class UnsentAttempts {
  readonly #counts = new Map<TerminalTransactionId, number>();

  note(id: TerminalTransactionId): void {
    this.#counts.set(id, this.of(id) + 1);
  }

  of(id: TerminalTransactionId): number {
    return this.#counts.get(id) ?? 0;
  }

  /** The host has answered finally. */
  forget(id: TerminalTransactionId): void {
    this.#counts.delete(id);
  }
}
