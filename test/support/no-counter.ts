import type { Counter } from '../../src/counter/counter.ts';
import { noPrinter } from '../../src/counter/till-paper.ts';

/** The counter of a terminal without a printer. */
export const noCounter: Counter = {
  paper: { refusal: noPrinter, trouble: noPrinter, print: async () => ({ kind: 'full' }) },
};
