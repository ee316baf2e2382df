import type { Amount } from '../domain/amount.ts';
import type { Intent } from '../events/intent.ts';
import type { ReceiptHost, ReceiptOriginal } from '../receipt/document.ts';
import type { TransactionRecord } from '../records/record.ts';

/** What the host's books know it by. `words`: what the host said, where the method's own part does not say it already. */
export function receiptHost(
  { mid, tid, trace }: Intent,
  record: TransactionRecord,
  words: Partial<ReceiptHost> = declinedWord(record),
): ReceiptHost {
  return { mid, tid, ...trace, ...words };
}

/** `names`: how the original's own receipt named it. `amountMinor`: its total before. */
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

/** The host's own number of it; empty where it gave none. */
export function hostNumberOf({ hostOutcome }: TransactionRecord): string {
  return hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : '';
}

/** What is left on a stored-value card, where its host or reader said so. */
export function balanceOf({ amount, hostOutcome }: TransactionRecord): Amount | undefined {
  const minor = hostOutcome && 'balanceMinor' in hostOutcome ? hostOutcome.balanceMinor : undefined;
  return minor === undefined ? undefined : { ...amount, minor: BigInt(minor) };
}

/** All that the host said. */
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
