import type { CardInterface } from '../card/card.ts';

/** What a command that starts a transaction asks for, whatever its protocol. */
export interface Activation {
  readonly timeoutMs: number;
  readonly interfaces: readonly CardInterface[];
  /** Whether the stripe of a chip that can't be read is taken. */
  readonly fallback: boolean;
  /** How long a chip waits for its issuer's decision; for as long as it takes where the command does not say. */
  readonly decisionTimeoutMs?: number;
  readonly amountMinor: bigint;
  readonly amountOtherMinor: bigint;
  /** 9C: '00' purchase, '20' refund. */
  readonly transactionType: string;
  /** 5F2A in four digits. */
  readonly currencyNumeric: string;
}

/** The digits of a data object in EMV format n or cn; nothing where it has not exactly so many. */
export function digitsOf(value: Buffer | undefined, length: number): string | undefined {
  const text = value?.toString('hex');
  return text?.length === length && /^\d+$/.test(text) ? text : undefined;
}
