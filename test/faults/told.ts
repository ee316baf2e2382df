import type { TransactionKind } from '../../src/domain/transaction-kind.ts';
import type { TerminalTransactionId } from '../../src/domain/identifiers.ts';

/** The fields of a PosResponse (SPEC §2.2) that concern money. */
export interface Told {
  readonly id: TerminalTransactionId;
  readonly messageId: string;
  readonly result: string;
  /** Only without success. */
  readonly impact: string;
  readonly type: TransactionKind;
  readonly method: string;
  readonly message: string;
}

/** A text field of an answer; empty if it is missing. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The transaction in an answer; undefined if it has none. */
export function toldOf(body: Readonly<Record<string, unknown>>): Told | undefined {
  const {
    terminalTransactionId,
    responseResult,
    financialImpact = '',
    transactionResult,
    messageId,
    message = '',
  } = body;
  if (typeof terminalTransactionId !== 'string' || typeof transactionResult !== 'object') return undefined;
  const { tranType, paymentMethod } = transactionResult as {
    readonly tranType: string;
    readonly paymentMethod: string;
  };
  return {
    id: terminalTransactionId as TerminalTransactionId,
    messageId: wordOf(messageId),
    result: wordOf(responseResult),
    impact: wordOf(financialImpact),
    type: tranType as TransactionKind,
    method: paymentMethod,
    message: wordOf(message),
  };
}
