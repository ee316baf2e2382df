import type { Bug } from '../bug.ts';

/** Bugs of an Octopus card that was pulled away. */
export const octopusBugs: readonly Bug[] = [
  {
    name: 'a replaced Octopus reader that has no record ends the doubt about the first one',
    test: 'test/payment/terminal/octopus.test.ts',
    file: 'src/methods/octopus/authorize.ts',
    from: 'await reader.find(octopusReference(id, intent.trace), readerOf(intent))',
    to: 'await reader.find(octopusReference(id, intent.trace))',
  },
  {
    name: 'another Octopus reader deducts under the reference of the first one',
    test: 'test/drivers/octopus/reader.test.ts',
    file: 'drivers/octopus/agent/reader.ts',
    from: "if (this.#isOther(deviceId)) return { kind: 'unknown' };",
    to: '',
  },
  {
    name: 'an Octopus card that comes back pays once more, under another reference',
    file: 'src/methods/octopus/card-return.ts',
    from: 'const { kind } = await this.#options.reader.deduct({ amountMinor, cardId, reference, deviceId });',
    to: 'const { kind } = await this.#options.reader.deduct({ amountMinor, cardId, reference: `${reference}-again` });',
  },
  {
    name: 'what the operator settled with the Octopus company is taken when the card comes back',
    // In a schedule the card seldom comes back after the operator has settled it, and is then told apart by chance
    // alone.
    test: 'test/payment/terminal/octopus-return.test.ts',
    file: 'src/methods/octopus/card-return.ts',
    from: 'if (!cardId.endsWith(lastFour) || !(await this.#isMissing(id))) continue;',
    to: 'if (!cardId.endsWith(lastFour)) continue;',
  },
  {
    name: 'a read error is taken for "nothing was deducted": the next tap pays once more',
    file: 'src/methods/octopus/authorize.ts',
    from: 'return isPassedBy(deduction) ? this.#find() : deduction;',
    to: 'return deduction;',
  },
  {
    name: 'a reader that says nothing of a deduction holds the terminal as long as a card that is awaited',
    test: 'test/payment/terminal/octopus.test.ts',
    file: 'src/methods/octopus/authorize.ts',
    from: "if (kind === 'unknown') limits.unknown ??=",
    to: "if (kind === 'incomplete') limits.unknown ??=",
  },
  {
    name: 'a decided payment whose reader has not been asked is in no sum of the report',
    test: 'test/payment/terminal/octopus-decisions.test.ts',
    file: 'src/payment/terminal/settlement/unresolved.ts',
    from: '...(await journal.setAside(id))',
    to: '',
  },
];
