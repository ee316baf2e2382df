import type { Counter } from '../../src/pos/peripherals/counter.ts';
import { noPrinter } from '../../src/pos/peripherals/printer-refusal.ts';

/** The counter of a terminal without a printer. */
export const noCounter: Counter = {
  paper: {
    absence: noPrinter,
    refusal: noPrinter,
    currentRefusal: noPrinter,
    print: async () => ({ kind: 'full' }),
    printReport: async () => ({ kind: 'full' }),
  },
  drawer: { currentRefusal: noPrinter, fault: 'absent', open: async () => noPrinter },
  display: { refusal: undefined, currentRefusal: undefined, display: () => 'shown', clear: () => 'cleared' },
};
