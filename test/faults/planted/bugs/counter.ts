import type { Bug } from '../bug.ts';

/** Bugs of what a till does with printer, drawer and idle screen. */
export const counterBugs: readonly Bug[] = [
  {
    name: 'a till’s job is printed in the middle of a receipt',
    test: 'test/drivers/printer/drawer.test.ts',
    file: 'drivers/printer/escpos/printer.ts',
    from: 'return await this.#inTurn(async () => this.#print(await job));',
    to: 'return await this.#print(await job);',
  },
  {
    name: 'a till’s job is printed before the receipts that wait',
    test: 'test/counter/print-queue.test.ts',
    file: 'src/counter/print-queue.ts',
    from: 'await receipts.tryNow();',
    to: 'void receipts;',
  },
  {
    name: 'what a till prints does not tell that it is no payment slip',
    test: 'test/counter/till-lines.test.ts',
    file: 'src/counter/till-lines.ts',
    from: 'fit([...heading, ...piece, ...footing], columns)',
    to: 'fit(piece, columns)',
  },
];
