import type { Amount } from '../../base/domain/amount.ts';
import type { Intent } from '../events/intent.ts';
import type { ReceiptHost, ReceiptOriginal } from '../../receipt/document.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * The host part of a receipt: the identifiers under which the host's books have the payment. `words`: the host's
 * answer, where the method's own part does not show it.
 */
export function receiptHost(
  { mid, tid, trace }: Intent,
  record: TransactionRecord,
  words: Partial<ReceiptHost> = declinedWord(record),
): ReceiptHost {
  return { mid, tid, ...trace, ...words };
}

/**
 * The original on a receipt. `names`: its identifiers as its own receipt printed them. `amountMinor`: its total before
 * this transaction.
 */
export function receiptOriginal(
  { amount, request }: TransactionRecord,
  names: ReceiptOriginal,
  amountMinor: string,
): ReceiptOriginal {
  const before: Amount = { ...amount, minor: BigInt(amountMinor) };
  return {
    ...names,
    ...(before.minor === amount.minor ? {} : { amount: before }),
    ...(request.originalId === undefined ? {} : { terminalTransactionId: request.originalId }),
  };
}

/** The host's own number of the transaction; empty if the host gave none. */
export function hostNumberOf({ hostOutcome }: TransactionRecord): string {
  return hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : '';
}

/** The balance of a stored-value card, if its host or reader reported it. */
export function balanceOf({ amount, hostOutcome }: TransactionRecord): Amount | undefined {
  const minor = hostOutcome && 'balanceMinor' in hostOutcome ? hostOutcome.balanceMinor : undefined;
  return minor === undefined ? undefined : { ...amount, minor: BigInt(minor) };
}

/** All receipt fields of the host's answer. */
export function hostWords({ hostOutcome, adviceAnswer }: TransactionRecord): Partial<ReceiptHost> {
  switch (hostOutcome?.kind) {
    case 'approved':
      return { rrn: hostOutcome.rrn, approvalCode: hostOutcome.approvalCode };
    case 'offline':
      return { approvalCode: hostOutcome.approvalCode, ...(adviceAnswer?.rrn ? { rrn: adviceAnswer.rrn } : {}) };
    case 'declined':
      return { rrn: hostOutcome.rrn, responseCode: hostOutcome.responseCode };
    default:
      return {};
  }
}

function declinedWord({ hostOutcome }: TransactionRecord): Partial<ReceiptHost> {
  return hostOutcome?.kind === 'declined' ? { responseCode: hostOutcome.responseCode } : {};
}
