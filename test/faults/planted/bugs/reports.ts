import type { Bug } from '../bug.ts';

/** Bugs of lists and reports: the merchant's own books. The fault world reads none. */
export const reportsBugs: readonly Bug[] = [
  {
    name: 'the first transaction of each page but the first is in no page',
    test: 'test/pos/api/transactions.test.ts',
    file: 'src/payment/terminal/transaction-lists.ts',
    from: 'if (read === readMax || items.length === query.limit) return end();',
    to: 'if (items.length === query.limit) place = one.place;\n        if (read === readMax || items.length === query.limit) return end();',
  },
  {
    name: 'a slice that found little goes on behind what it has not read',
    test: 'test/journal/listing.test.ts',
    file: 'src/journal/listing.ts',
    from: 'return entries < entriesMax ? { found } : { found, next: place };',
    to: 'return entries <= entriesMax ? { found } : { found, next: place };',
  },
  {
    name: 'a paired POS lists what another sold',
    test: 'test/pos/api/transactions.test.ts',
    file: 'src/pos/api/transactions.ts',
    from: 'const { posId = query.posId } = caller;',
    to: 'const { posId } = query;',
  },
  {
    name: 'a report counts a refund as a sale',
    test: 'test/e2e/report.test.ts',
    file: 'src/payment/records/report.ts',
    from: "refunds: sum(group.filter(({ kind }) => kind === 'REFUND')),",
    to: 'refunds: sum([]),',
  },
  {
    name: 'a report has the cash back of EPS in the drawer',
    test: 'test/e2e/report.test.ts',
    file: 'src/payment/records/report.ts',
    from: '+ taken - given);',
    to: '+ taken);',
  },
  {
    name: 'cash that the operator has given back stays in the drawer of the report',
    test: 'test/operator/extra-payments.test.ts',
    file: 'src/payment/records/report.ts',
    from: 'for (const { amount } of returns) sums.set',
    to: 'for (const { amount } of returns.slice(0, 0)) sums.set',
  },
  {
    name: 'the operator’s cash is in the report of the batch of the payment',
    test: 'test/operator/extra-payments.test.ts',
    file: 'src/operator/extra-payments.ts',
    from: '...(drawer ? { drawer } : {})',
    to: '...(drawer ? {} : {})',
  },
  {
    name: 'a tip that the bank has confirmed after the settlement is in no report',
    test: 'test/payment/terminal/report-corrections.test.ts',
    file: 'src/payment/terminal/reports.ts',
    from: '...sumLateTips(batch.lateTips)',
    to: '',
  },
  {
    name: 'cash given back for a payment that counts late is not missing in the drawer',
    test: 'test/operator/extra-payments.test.ts',
    file: 'src/payment/terminal/reports.ts',
    from: '[...(await journal.unmatched()), ...(await journal.matters())]',
    to: 'await journal.unmatched()',
  },
  {
    name: 'an Octopus payment whose card came back is to be given back',
    test: 'test/payment/terminal/octopus-return.test.ts',
    file: 'src/payment/records/record.ts',
    from: "(before !== 'UNKNOWN' || isPaidElsewhere(record))",
    to: 'record.intent !== undefined',
  },
  {
    name: 'a payment that succeeded late has given its cash back',
    test: 'test/payment/terminal/reports.test.ts',
    file: 'src/payment/records/report.ts',
    from: 'hasSucceeded(record) && !record.succeededLate ?',
    to: 'hasSucceeded(record) ?',
  },
  {
    name: 'a payment that counts in a later batch is reported with the batch in which it began',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/payment/records/present.ts',
    from: 'presentBatch !== undefined && presentBatch !== tree.record.intent.trace.batch;',
    to: 'presentBatch !== undefined && presentBatch === -1;',
  },
];
