import type { Bug } from '../bug.ts';

/** Bugs of what is told of a sale that was refunded, and of an amount that has changed. */
export const refundBugs: readonly Bug[] = [
  {
    name: 'a sale is called refunded as soon as a part is',
    file: 'src/payment/records/transaction-status.ts',
    from: "givenBack < total.minor ? 'PARTIALLY_REFUNDED' : 'REFUNDED'",
    to: "'REFUNDED'",
  },
  {
    name: 'a sale is refunded whole once what was authorized is, without its tip',
    file: 'src/payment/records/transaction-status.ts',
    from: 'return givenBack < total.minor ?',
    to: 'return givenBack < record.amount.minor ?',
    test: 'test/payment/records/transaction-status.test.ts',
  },
  {
    name: 'an enquiry does not tell how much was refunded',
    file: 'src/pos/api/pos-response.ts',
    from: '...(refunded ? { refundedAmount: majorNumber(refunded) } : {}),',
    to: '',
  },
  {
    name: 'what was charged in the end lacks the adjusted tip',
    file: 'src/payment/records/present.ts',
    from: 'completedWith ?? (adjusted ? total : undefined)',
    to: 'completedWith ?? (adjusted ? record.amount : undefined)',
    test: 'test/payment/records/present.test.ts',
  },
  {
    name: 'a till is told "undone" of what was refunded in part',
    file: 'src/pos/client/answer-result.ts',
    from: "Number(result['refundedAmount']) >= Number(charged)",
    to: 'charged !== undefined',
    test: 'test/pos/client/client.test.ts',
  },
  {
    name: 'a repeat of a payment does not tell that a part was refunded',
    file: 'src/payment/records/present.ts',
    from: 'return { record: tree.record, ...presentAmounts(tree) };',
    to: 'return { record: tree.record };',
    test: 'test/pos/api/refunded.test.ts',
  },
  {
    name: 'a script takes what was refunded in part for paid',
    file: 'src/admin/shell/exit-code.ts',
    from: "isPartlyRefunded(resultOf(answer)) ? 'partlyRefunded' : 'paid'",
    to: "'paid'",
    test: 'test/admin/shell/exit-code.test.ts',
  },
  {
    name: 'the receipt of a sale does not tell what was refunded',
    file: 'src/receipt/lines.ts',
    from: "[amounts.refunded, refunded && signedText(refunded, '-')],",
    to: '',
    test: 'test/payment/terminal/print-again.test.ts',
  },
  {
    name: 'an extra payment that was refunded is given back in cash too',
    test: 'test/operator/extra-payments.test.ts',
    file: 'src/payment/records/cash-returns.ts',
    from: '(record.givenBackLater?.minor ?? 0n)',
    to: '0n',
  },
  {
    name: 'an extra payment is given back in cash while its refund is unknown',
    test: 'test/operator/extra-payments.test.ts',
    file: 'src/payment/records/extra-payments.ts',
    from: "givenBackLater?.isUndecided ? 'beingReturned'",
    to: "givenBackLater === null ? 'beingReturned'",
  },
];
