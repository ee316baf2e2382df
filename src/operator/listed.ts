import type { TerminalTransactionId } from '../domain/identifiers.ts';

/** A transaction on a list, as the operator knows it again. */
export interface Listed {
  readonly id: TerminalTransactionId;
  readonly kind: string;
  readonly method: string;
  readonly lastDigits: string;
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
}
