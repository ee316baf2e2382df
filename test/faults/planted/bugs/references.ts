import type { Bug } from '../bug.ts';

/** Bugs of what refers to an earlier transaction. */
export const referencesBugs: readonly Bug[] = [
  {
    name: 'more is refunded than was paid',
    file: 'src/transaction/reference.ts',
    from: 'if (amount.minor > left) {',
    to: 'if (amount.minor > left && left < 0n) {',
  },
  {
    name: 'a voided sale is settled',
    file: 'src/transaction/batch.ts',
    from: 'this.#items.delete(original.record.id);',
    to: 'this.#items.get(original.record.id);',
  },
];
