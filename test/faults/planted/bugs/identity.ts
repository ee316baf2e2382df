import type { Bug } from '../bug.ts';

/** Bugs of (posId, messageId), and of one payment at a time. */
export const identityBugs: readonly Bug[] = [
  {
    name: 'another body under a known identity gets the answer of the first',
    file: 'src/payment/terminal/terminal.ts',
    from: "return isRepeatOf(record, request) ? { kind: 'ended', record, ...amounts } : { kind: 'otherRequest' };",
    to: "return { kind: 'ended', record, ...amounts };",
  },
  {
    name: 'a void without an amount is another request once its original has changed',
    test: 'test/pos/api/void-repeated.test.ts',
    file: 'src/pos/api/payment.ts',
    from: '...(isAmountAdded ? { digestWith } : {})',
    to: '...(isAmountAdded && !digestWith ? { digestWith } : {})',
  },
  {
    name: 'a void whose original has changed is refused while it runs',
    test: 'test/pos/api/void-repeated.test.ts',
    file: 'src/payment/terminal/current-transaction.ts',
    from: 'return isRepeat(request, digest, amount.minor) ? await',
    to: 'return request.digest === digest && amount ? await',
  },
  {
    name: 'two amounts are one request',
    file: 'src/pos/api/pos-request.ts',
    from: 'majorText(request.amount),',
    to: "'',",
  },
  {
    name: 'a payment of another order is taken for a repeat',
    file: 'src/pos/api/pos-request.ts',
    from: '...Object.entries(posDetailsOf(request)).flat(),',
    to: '',
    test: 'test/pos/api/pos-request.test.ts',
  },
  {
    name: 'a request that says DEFAULT is another than one that says nothing',
    file: 'src/pos/api/pos-request.ts',
    from: "request.preferredEntryMode ?? 'DEFAULT',",
    to: "request.preferredEntryMode ?? '',",
  },
  {
    name: 'a second payment begins while one runs',
    file: 'src/payment/terminal/terminal.ts',
    from: `if (payment) return { kind: 'busy', owner: ownerOf(payment) };
    const plan`,
    to: 'const plan',
  },
  {
    name: 'an identity that the acceptance finds taken pays again',
    test: 'test/payment/terminal/journal-messages.test.ts',
    file: 'src/payment/terminal/transaction-run.ts',
    from: `const known = await this.#accept(order, sessions);
    if (known) return known;`,
    to: 'await this.#accept(order, sessions);',
  },
  {
    name: 'a payment takes the identity of a settlement',
    test: 'test/payment/terminal/journal-messages.test.ts',
    file: 'src/journal/store.ts',
    from: 'if (settlement) return { settlement };',
    to: '',
  },
  {
    name: 'a repeat on a disk that can’t be read is told that nothing was started',
    test: 'test/payment/terminal/journal-messages.test.ts',
    file: 'src/payment/terminal/transaction-run.ts',
    from: '#isDoubtful = true;',
    to: '#isDoubtful = false;',
  },
  {
    name: 'a repeat of this start on a disk that can’t be read is told that nothing was started',
    test: 'test/payment/terminal/journal-messages.test.ts',
    file: 'src/payment/terminal/current-transaction.ts',
    from: "return { kind: 'journalFailed', reason: reasonOf(error), started: true };",
    to: "return { kind: 'journalFailed', reason: reasonOf(error), started: false };",
  },
  {
    name: 'who reuses an identity decides that the request itself is another',
    file: 'src/payment/terminal/current-transaction.ts',
    from: 'return run.started || isRepeat(',
    to: 'return run !== undefined || isRepeat(',
    test: 'test/payment/terminal/journal-messages.test.ts',
  },
  {
    name: 'the repeat of a payment through a restart arms the reader, and reads a card for nothing',
    file: 'src/payment/terminal/current-transaction.ts',
    from: 'for (const identity of taken) this.#remember(identity);',
    to: '',
    test: 'test/payment/terminal/armed-ahead.test.ts',
  },
  {
    name: 'a payment under the name of a settlement arms the reader',
    file: 'src/payment/terminal/current-transaction.ts',
    from: 'if (settlement) this.#remember(settlement.request);',
    to: '',
    test: 'test/payment/terminal/armed-ahead.test.ts',
  },
  {
    name: 'what is paid is told as running while its repeat is looked up',
    file: 'src/payment/terminal/enquiries.ts',
    from: 'if (runNow && !isRepeat)',
    to: 'if (runNow)',
    test: 'test/payment/terminal/journal-messages.test.ts',
  },
  {
    name: 'a payment of the first moment is taken without the reader that is being opened',
    file: 'src/main/composition/devices.ts',
    from: 'withinMs(Promise.all(found), foundWithinMs, clock)',
    to: 'withinMs(Promise.resolve(found), foundWithinMs, clock)',
    test: 'test/main/composition/devices.test.ts',
  },
  {
    name: 'an authorization is completed twice',
    test: 'test/e2e/authorizations.test.ts',
    file: 'src/payment/records/transaction-status.ts',
    from: 'const completion = effective.findLast((each) => isCompletion(each.record) && !transactionStatus(each).voided)?.record;',
    to: "const completion = effective.findLast((each) => each.record.request.type === 'AUTH_COMP' && !transactionStatus(each).voided)?.record;",
  },
  {
    name: 'a released authorization can be completed: the host refuses after the goods are gone',
    test: 'test/payment/transaction/reference.test.ts',
    file: 'src/payment/records/transaction-status.ts',
    from: "effective.some(({ record: { request } }) => request.type.startsWith('VOID_')),",
    to: "effective.some(({ record: { request } }) => request.type.startsWith('VOID_') && request.type !== 'VOID_AUTH'),",
  },
];
