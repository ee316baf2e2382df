import type { TransactionKind } from '../../src/domain/capability.ts';
import type { TerminalTransactionId } from '../../src/domain/identifiers.ts';

/** A PosResponse (SPEC §2.2), as far as money hangs on it. */
export interface Told {
  readonly id: TerminalTransactionId;
  readonly messageId: string;
  readonly result: string;
  /** Only of what is no success. */
  readonly impact: string;
  readonly type: TransactionKind;
  readonly method: string;
  readonly message: string;
}

/** A text of an answer; empty where there is none. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What an answer tells of a transaction; nothing where it tells of none. */
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
