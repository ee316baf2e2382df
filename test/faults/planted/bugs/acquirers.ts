import type { Bug } from '../bug.ts';

/** Bugs of acquirers whose settings change. */
export const acquirersBugs: readonly Bug[] = [
  {
    name: 'changed settings: an acquirer is not held, its queue and batch go out under the new numbers',
    file: 'src/payment/holds/find-holds.ts',
    from: 'if (isChanged && (found ?? (await search.find([id]))))',
    to: 'if (isChanged && id.length === 0)',
  },
  {
    name: 'changed settings: an acquirer that is held takes new payments',
    test: 'test/payment/transaction/plan-held.test.ts',
    file: 'src/payment/transaction/plan.ts',
    from: 'if (held.length === 0 || isPlanRefusal(plan) || plan.takers.length === 0) return plan;',
    to: 'if (held.length >= 0) return plan;',
  },
  {
    name: 'changed settings: an acquirer is released while its batch is open',
    file: 'src/payment/holds/release-held.ts',
    from: 'if (await search.find(ids, signal)) return;',
    to: '',
    also: {
      file: 'src/payment/holds/release-held.ts',
      from: 'if (progress.settlements !== settlements || (await search.findSoon(ids))) return false;',
      to: 'void settlements;',
    },
  },
  {
    name: 'changed settings: a currency that is taken no more does not count',
    test: 'test/payment/holds/find-holds.test.ts',
    file: 'src/config/host-terms.ts',
    from: 'before.currencies.some(',
    to: '[].some(',
  },
  {
    name: 'changed settings: a batch of which no settings are kept goes out under the present numbers',
    test: 'test/payment/holds/find-holds.test.ts',
    file: 'src/methods/card/settings.ts',
    from: 'withNumbers: (kept, { tid, mid }) => ({ ...kept, tid, mid })',
    to: 'withNumbers: (kept) => ({ ...kept })',
  },
  {
    name: 'an Octopus deduction of unknown outcome is reversed at a host instead of asking its card',
    test: 'test/payment/terminal/octopus.test.ts',
    file: 'src/methods/octopus/contract.ts',
    from: "undo: 'sameCard'",
    to: "undo: 'reversal'",
  },
  {
    name: 'changed settings: a declined transaction says under which numbers its batch was sent',
    test: 'test/payment/holds/find-holds.test.ts',
    file: 'src/payment/records/first-unsettled.ts',
    from: "if (!stands(record) || (type !== 'AUTH' && !isBatchItem(type))) return undefined;",
    to: "if (type !== 'AUTH' && !isBatchItem(type)) return undefined;",
  },
  {
    name: 'a document of the fleet: a sale that was made during the long look is not seen',
    test: 'test/fleet/take-configuration.test.ts',
    file: 'src/fleet/adoption/take-configuration.ts',
    from: "      obstacle = await look('findSoon');\n",
    to: '',
  },
  {
    name: 'a document of the fleet: a payment that waited for its adoption is taken all the same',
    test: 'test/fleet/take-configuration.test.ts',
    file: 'src/payment/terminal/order-of.ts',
    from: 'if (isClosing()) return stopping;',
    to: '',
  },
  {
    name: 'a document of the fleet that waits is looked at with every payment',
    test: 'test/fleet/configuration.test.ts',
    file: 'src/fleet/documents/configuration-topic.ts',
    from: "if (until === kind || until === 'idle') this.#queue('again');",
    to: "this.#queue('again');",
  },
  {
    name: 'a key of the fleet that was dropped counts for root again once the service has removed its list',
    test: 'test/admin/dropped-keys.test.ts',
    file: 'src/admin/fleet/dropped-keys.ts',
    from: 'const gone = new Set([...recorded, ...this.#seen.keys()]);',
    to: 'const gone = new Set(reported.map(({ key }) => key));',
  },
  {
    name: 'one till that reads lists without pause keeps the others waiting',
    test: 'test/payment/terminal/reading-turns.test.ts',
    file: 'src/payment/terminal/reading-turns.ts',
    from: 'if (own >= shareMax || this.#waiting.size >= most) return undefined;',
    to: 'if (this.#waiting.size >= waitingMax) return undefined;',
  },
  {
    name: 'nobody is told that cash was removed with its payments unsettled',
    test: 'test/payment/holds/find-holds.test.ts',
    file: 'src/payment/holds/find-holds.ts',
    from: 'if (await search.findSoon([id])) own.set',
    to: 'if ((await search.findSoon([id])) === null) own.set',
  },
];
