import type { Bug } from '../bug.ts';

/** What late evidence leaves to be settled with the customer. */
export const matterBugs: readonly Bug[] = [
  {
    name: 'a refund of a payment that its host reverses late is in no list',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/payment/records/customer-matters.ts',
    from: "  if (record.request.type !== 'REFUND' || !stands(record) || transactionStatus(tree).voided) return undefined;",
    to: '  if (record.request.type) return undefined;',
  },
  {
    name: 'a payment that counts late is in no list',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/payment/records/customer-matters.ts',
    from: "return stands(record) && (succeededLate === true || decided === 'NOT_POSTED');",
    to: "return stands(record) && decided === 'POSTED' && succeededLate === true;",
  },
  {
    name: 'an advice that its host accepts after the bank had denied it is in no list',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/payment/records/customer-matters.ts',
    from: "(succeededLate === true || decided === 'NOT_POSTED');",
    to: '(succeededLate === true);',
  },
  {
    name: 'a settled batch loses what its host reverses late',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/payment/records/batch.ts',
    from: 'if (!stands(record) && !record.afterSettlement) return;',
    to: 'if (!stands(record)) return;',
  },
  {
    name: 'a reversal after the settlement is not marked',
    test: 'test/journal/matters.test.ts',
    file: 'src/journal/event-log.ts',
    from: "if (findingOf(event) !== 'hostReversed') return event;",
    to: 'if (event) return event;',
  },
  {
    name: 'what a settled batch has and its host has reversed is reported as reversed',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/payment/records/impact.ts',
    from: "  if (isOpen) return 'UNKNOWN';",
    to: '',
  },
  {
    name: 'what is to be settled with the customer is archived',
    test: 'test/journal/matters.test.ts',
    file: 'src/journal/retention.ts',
    from: ' && !families.hasOpenMatter(family);',
    to: ';',
  },
  {
    name: 'what late evidence contradicts is not listed',
    test: 'test/journal/matters.test.ts',
    file: 'src/journal/projection.ts',
    from: '  noteMatter(id, finding, events, statements);',
    to: '',
  },
  {
    name: 'the books are not told that a sale counts in another batch',
    test: 'test/payment/terminal/customer-matters.test.ts',
    file: 'src/journal/projection.ts',
    from: '    changes.noteMoved([original]);',
    to: '',
  },
  {
    name: 'what is settled with the customer can be settled again',
    test: 'test/operator/customer-matters.test.ts',
    file: 'src/payment/records/customer-matters.ts',
    from: 'settledWithCustomer.includes(kind) || givenBackInCash !== undefined',
    to: 'settledWithCustomer.length > 9 || givenBackInCash !== undefined',
  },
];
