import type { Bug } from '../bug.ts';

/** Bugs of what refers to an earlier transaction. */
export const referencesBugs: readonly Bug[] = [
  {
    name: 'a transaction that is being reversed is said to stand',
    test: 'test/payment/terminal/original-stands.test.ts',
    file: 'src/payment/records/record-tree.ts',
    from: "stands(original.record) && original.record.reversal !== 'queued'",
    to: "stands(original.record) || original.record.reversal === 'queued'",
  },
  {
    name: 'a transaction that its host has rejected is said to stand',
    test: 'test/payment/terminal/original-stands.test.ts',
    file: 'src/pos/api/pos-response.ts',
    from: "  'originalRejected',\n",
    to: '',
    also: {
      file: 'src/payment/records/record-tree.ts',
      from: 'const originalStands = stands(original.record) &&',
      to: 'const originalStands = original.record.conclusion !== undefined &&',
    },
  },
  {
    name: 'more is refunded than was paid',
    file: 'src/payment/transaction/reference.ts',
    from: 'if (amount.minor > left) {',
    to: 'if (amount.minor > left && left < 0n) {',
  },
  {
    name: 'what is in the archive counts no more: a sale is refunded twice',
    file: 'src/journal/transactions.ts',
    from: 'WHERE ended = 0 OR acquirer_id IS NOT NULL ORDER BY opened',
    to: 'WHERE (ended = 0 OR acquirer_id IS NOT NULL) AND archive IS NULL ORDER BY opened',
  },
  {
    name: 'a voided sale is settled',
    file: 'src/payment/records/batch.ts',
    from: 'return voided ? [] :',
    to: 'return voided && total.minor < 0n ? [] :',
  },
  {
    name: 'a refund counts on a tip that its host refuses meanwhile: more is given back than was sold',
    file: 'src/payment/method/write-intent.ts',
    from: `  const known = await checkAgain(order, original, parts);
  if (known.kind === 'over') return known;
  if (!known.awaitsHost)`,
    to: `  const known = { kind: 'now' as const, known: original };
  if (known.known)`,
  },
  {
    name: 'what its host has refused is voided, tipped and refunded as if it had been sold',
    file: 'src/payment/transaction/reference.ts',
    from: 'if (!stands(record)) return',
    to: "if (record.conclusion?.result !== 'SUCCESS') return",
  },
  {
    name: 'a tip that can not be brought to its host is refunded with its sale',
    test: 'test/payment/terminal/drained-references.test.ts',
    file: 'src/payment/method/write-intent.ts',
    from: 'if (!known.awaitsHost) return withRoom',
    to: 'if (known) return withRoom',
  },
  {
    name: 'what its host rejected is told as SUCCESS for ever',
    file: 'src/payment/records/present.ts',
    from: "if (record.advice !== 'rejected') return conclusion;",
    to: "if (record.advice !== 'rejected' || !record.reversal) return conclusion;",
  },
  {
    name: 'an advice whose number the host has is told as not charged',
    test: 'test/payment/terminal/number-taken.test.ts',
    file: 'src/payment/records/impact.ts',
    from: 'Boolean(adviceAnswer?.ofRepeat ?? numberTaken)',
    to: 'Boolean(adviceAnswer?.ofRepeat && !numberTaken)',
  },
  {
    name: 'what its host rejected leaves the list when its batch is closed, and nobody decides on it',
    file: 'src/journal/queues.ts',
    from: "WHERE acquirer_id = ? AND advice = 'rejected' AND set_aside IS NULL AND archive IS NULL",
    to: `WHERE acquirer_id = ? AND advice = 'rejected' AND set_aside IS NULL
                 AND batch = (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id)`,
  },
  {
    name: 'an authorization is completed twice by an offline sale',
    test: 'test/payment/terminal/authorizations.test.ts',
    file: 'src/base/domain/transaction-kind.ts',
    from: "return type === 'AUTH_COMP' || (type === 'OFFLINE_SALE' && originalId !== undefined);",
    to: "return type === 'AUTH_COMP' || (type === 'OFFLINE_SALE' && originalId === '');",
  },
  {
    name: 'a released authorization is told as if it still held money',
    test: 'test/payment/terminal/authorizations.test.ts',
    file: 'src/payment/records/transaction-status.ts',
    from: "if (voided) return record.request.type === 'AUTH' ? 'RELEASED' : 'VOIDED';",
    to: "if (voided && record.request.type !== 'AUTH') return 'VOIDED';",
  },
  {
    name: 'the void of a payment that only the bank has confirmed names nothing that its host knows',
    test: 'test/hosts/iso8583/void-at-host.test.ts',
    file: 'src/hosts/iso8583/request.ts',
    from: "if (rrn !== '' || name === undefined) return undefined;",
    to: 'if (rrn !== undefined || name === undefined) return undefined;',
  },
  {
    name: 'the void of a payment that only the bank has confirmed does not say what it voids',
    test: 'test/payment/terminal/confirmed-by-bank.test.ts',
    file: 'src/methods/card/message.ts',
    from: '    trace,\n    operation,\n    amount,',
    to: '    trace,\n    amount,',
  },
  {
    name: 'a tip is accepted that its host can not match to its sale',
    test: 'test/payment/terminal/confirmed-by-bank.test.ts',
    file: 'src/payment/transaction/reference.ts',
    from: "if (isUnnumbered(record) && !kind.startsWith('VOID_')) {",
    to: "if (isUnnumbered(record) && kind === 'REFUND') {",
  },
];
