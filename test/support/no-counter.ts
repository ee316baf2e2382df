import type { Counter } from '../../src/pos/peripherals/counter.ts';
import { noPrinter } from '../../src/pos/peripherals/printer-trouble.ts';

/** The counter of a terminal without a printer. */
export const noCounter: Counter = {
  paper: {
    absence: noPrinter,
    refusal: noPrinter,
    trouble: noPrinter,
    print: async () => ({ kind: 'full' }),
    printReport: async () => ({ kind: 'full' }),
  },
  drawer: { trouble: noPrinter, fault: 'absent', open: async () => noPrinter },
  display: { refusal: undefined, trouble: undefined, display: () => 'shown', clear: () => 'cleared' },
};
