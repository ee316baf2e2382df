import type { CardInterface } from '../card/card.ts';

/** The request of a command that starts a transaction, in any protocol. */
export interface Activation {
  readonly timeoutMs: number;
  readonly interfaces: readonly CardInterface[];
  /** Whether the stripe of a card is accepted if its chip can't be read. */
  readonly fallback: boolean;
  /** How long a chip waits for its issuer's decision; without limit if the command does not say. */
  readonly decisionTimeoutMs?: number;
  readonly amountMinor: bigint;
  readonly amountOtherMinor: bigint;
  /** 9C: '00' purchase, '20' refund. */
  readonly transactionType: string;
  /** 5F2A in four digits. */
  readonly currencyNumeric: string;
}

/** The digits of a data object in EMV format n or cn; undefined unless it has exactly `length` digits. */
export function digitsOf(value: Buffer | undefined, length: number): string | undefined {
  const text = value?.toString('hex');
  return text?.length === length && /^\d+$/.test(text) ? text : undefined;
}
