import type { Json } from '../e2e/stage.ts';

/** What differs from one run to the next: times, numbers that are given out, what a chip computes. */
const changing = new Set(
  `acquirerMid acquirerTid approvalCode atc batch createTime dateTime invoice messageId originalTerminalTransactionId
   poiReferenceId posReferenceId rrn tc terminalTransactionId trace transactionId walletTransactionId version fingerprint
   openBatch at checked closedAt count totalAmount name pairingId terminalPublicKey terminalNonce keyId proof port
   receiptStatus waitingReceipts waitingBatches pendingAdvices pendingReversals journalCheck clock clockDoubt
   journalSchema link devices rejectedAdvices nextCursor`.split(/\s+/),
);

/** A terminalTransactionId, also where it stands in a line of a slip. */
const identifier = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** An example without what differs from run to run. */
export function shapeOf(value: Json, name = ''): Json {
  if (changing.has(name)) return `(${name})`;
  if (typeof value === 'string') return value.replaceAll(identifier, '(id)').replaceAll(/[0-9A-F]/g, '0');
  if (Array.isArray(value)) return value.map((each) => shapeOf(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, shapeOf(each, key)]),
  );
}
