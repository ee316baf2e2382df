import type { Bug } from '../bug.ts';

/** What differs from the books of the banks, and a journal that was put back. */
export const discrepancyBugs: readonly Bug[] = [
  {
    name: 'a batch of which the host had other totals is in no list once it is settled',
    test: 'test/operator/discrepancies.test.ts',
    file: 'src/journal/store.ts',
    from: '        this.#tables.discrepancies.noteDifferences(each, at);',
    to: '',
  },
  {
    name: 'a difference that nothing explains is taken for explained',
    test: 'test/operator/discrepancies.test.ts',
    file: 'src/methods/card/batch.ts',
    from: '!isExplained || missing.length > 0',
    to: 'isExplained === false',
  },
  {
    name: 'a journal that was put back is forgotten at the next start',
    test: 'test/operator/discrepancies.test.ts',
    file: 'src/journal/discrepancies.ts',
    from: 'if (this.#isStored) this.#add(restored, at);',
    to: 'if (!this.#isStored) this.#add(restored, at);',
  },
  {
    name: 'poid unsettled does not name a difference from the books of the bank',
    test: 'test/operator/discrepancies.test.ts',
    file: 'src/payment/records/unsettled.ts',
    from: ', ...(await journal.discrepancies()).map(ofDiscrepancy)];',
    to: '];',
  },
  {
    name: 'a version on trial loses what its host had otherwise',
    test: 'test/journal/discrepancies.test.ts',
    file: 'src/journal/schema.ts',
    from: `WHERE results LIKE '%"differences":%' ORDER BY`,
    to: 'WHERE results IS NULL ORDER BY',
  },
  {
    name: 'a POS that repeats a payment which a put-back journal has lost charges again',
    test: 'test/payment/terminal/restored.test.ts',
    file: 'src/payment/terminal/terminal.ts',
    from: '(refuseUnlessCompared(request, this.#parts.journal) ?? this.#run(request, now.plan))',
    to: 'this.#run(request, now.plan)',
  },
  {
    name: 'the menu of the operator sells nothing after a put-back journal',
    test: 'test/payment/terminal/restored.test.ts',
    file: 'src/payment/terminal/terminal.ts',
    from: '!restored || own.includes(posId)',
    to: '!restored',
  },
  {
    name: 'a put-back journal is not asked whether a request can be known',
    test: 'test/payment/terminal/restored.test.ts',
    file: 'src/payment/terminal/terminal.ts',
    from: '!this.#parts.journal.restored && !this.#occupancy.mayBeTaken(request)',
    to: '!this.#occupancy.mayBeTaken(request)',
  },
  {
    name: 'a day after it was put back, the journal says that a lost payment was not made',
    test: 'test/payment/terminal/restored.test.ts',
    file: 'src/payment/terminal/enquiries.ts',
    from: "    if (journal.restored) return { kind: 'notFound', since: journal.restored.at };",
    to: '',
  },
  {
    name: 'a payment of a put-back journal is refunded although it may have been refunded since',
    test: 'test/payment/terminal/restored.test.ts',
    file: 'src/payment/method/original.ts',
    from: '  if (restored && (await journal.isFromCopy(originalId))) return refuseCopy(restored);',
    to: '',
  },
  {
    name: 'a lost refund that a POS repeats is reported as never made',
    test: 'test/pos/api/restored.test.ts',
    file: 'src/pos/api/call.ts',
    from: "first?.reason === 'beforeJournal' ? 'UNKNOWN' : 'NONE'",
    to: "first?.reason === 'beforeJournal' ? 'NONE' : 'NONE'",
  },
];
