import type { Bug } from '../bug.ts';

/** Bugs of partial approvals. */
export const partBugs: readonly Bug[] = [
  {
    name: 'a partial approval reported as whole',
    file: 'src/methods/card/online.ts',
    from: "  return [{ kind: 'partlyApproved', amountMinor: outcome.coveredMinor.toString() }];",
    to: '  return [];',
  },
  {
    name: 'a part that nobody has allowed is kept',
    file: 'src/methods/card/online.ts',
    from: "if (allowsPart !== true || !journal.takes('partlyApproved')) return 'unasked';",
    to: '',
  },
  {
    name: 'the reversal of a part names the part',
    test: 'test/payment/terminal/partial.test.ts',
    file: 'src/methods/card/message.ts',
    from: 'const amount = record.requested ?? record.amount;',
    to: 'const { amount } = record;',
  },
];
