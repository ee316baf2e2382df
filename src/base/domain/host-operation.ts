import { type KindsOf, type TransactionKind, type TransactionTable, transactionTable } from './transaction-kind.ts';

type RowOf<Facts> = Extract<TransactionTable[TransactionKind], Facts>;

/** Operations that a card host decides online. */
export type OnlineOperation = RowOf<{ readonly decidedBy: 'host' }>['operation'];

/** Of these, the ones that the card is presented for, and the ones that go by their original alone. */
export type PresentedOperation = RowOf<{ readonly decidedBy: 'host'; readonly presents: true }>['operation'];
export type ReferringOperation = RowOf<{ readonly decidedBy: 'host'; readonly presents: false }>['operation'];

/** Operations that are decided offline and reported to the host afterwards. */
export type AdviceOperation = RowOf<{ readonly decidedBy: 'terminal' }>['operation'];

/** Whether the host decides about an earlier transaction, without its card. */
export function isReferring(
  kind: TransactionKind,
): kind is KindsOf<{ readonly decidedBy: 'host'; readonly presents: false }> {
  return transactionTable[kind].decidedBy === 'host' && !transactionTable[kind].presents;
}

/** The message of a kind to a card's host. */
export function operationOf<Kind extends TransactionKind>(kind: Kind): TransactionTable[Kind]['operation'] {
  return transactionTable[kind].operation;
}
