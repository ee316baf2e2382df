import type { Bug } from '../bug.ts';

const test = 'test/options/round-up/round-up.test.ts';

/** Bugs of the questions that are asked once the card is known. */
export const optionBugs: readonly Bug[] = [
  {
    name: 'a card whose cryptogram covers another amount is sent after the amount has changed',
    test,
    file: 'src/payment/terminal/option-questions.ts',
    from: 'return this.#isReadAgain(order) ? { ...replanned, presentAgain: true } : replanned;',
    to: 'return replanned;',
  },
  {
    name: 'a card is sent with the amount before the answer, and the POS is told the amount with it',
    test,
    file: 'src/methods/card/session.ts',
    from: 'this.#order = order;\n  }\n\n  dropMeans',
    to: 'void order;\n  }\n\n  dropMeans',
  },
  {
    name: 'an answer is read back without its amount: the reversal is of less than was sent',
    test,
    file: 'src/payment/records/record.ts',
    from: 'minor: record.amount.minor + addedMinor };',
    to: 'minor: record.amount.minor };',
  },
  {
    name: 'another card than the one that was asked about pays the amount of the answer',
    test,
    file: 'src/payment/terminal/option-questions.ts',
    from: 'if (presented && isSame(presented, this.#known.presented)) return collected;',
    to: 'if (presented) return collected;',
  },
  {
    name: 'the amount changes after a message was sent: a late approval of it is reversed with another amount',
    test,
    file: 'src/payment/terminal/option-questions.ts',
    from: 'if (!presented || this.#isFixed || order.original) return collected;',
    to: 'if (!presented || order.original) return collected;',
  },
  {
    name: 'a customer who was asked about a card may pay in cash with its answer',
    test,
    file: 'src/payment/terminal/option-questions.ts',
    from: 'return { ...order, collects: { modes: [mode], start: mode, codeModes: [], wallets: [] } };',
    to: 'return { ...order, collects: { ...order.collects, start: mode } };',
  },
  {
    name: 'a tip is a percentage of what was donated as well',
    test,
    file: 'src/payment/transaction/reference.ts',
    from: 'percentOf(base - optionsSum(original.record), rules.tipPercentMax)',
    to: 'percentOf(base, rules.tipPercentMax)',
  },
];
