import type { PrinterFault, ReceiptPrinter } from '../../src/base/ports/receipt-printer.ts';
import { receiptText } from '../../src/receipt/line.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';

/** The printed receipts, and the printer for one life of the terminal. */
export class PaperRoll {
  readonly printed = new Map<string, number>();
  out = false;
  readonly #dice: Dice;
  readonly #log: Log;
  #report: (fault: PrinterFault | undefined) => void = () => undefined;

  constructor(dice: Dice, log: Log) {
    this.#dice = dice;
    this.#log = log;
  }

  /** New paper is inserted. */
  filled(): void {
    this.out = false;
    this.#report(undefined);
  }

  printer(generation: Generation): ReceiptPrinter {
    return {
      name: 'simulated printer',
      state: 'ready',
      fault: undefined,
      onState: () => () => undefined,
      onFaultChange: (listener) => {
        this.#report = (fault) => generation.alive && listener(fault);
        return () => undefined;
      },
      close: async () => undefined,
      status: async () => ({ paperNearEnd: false }),
      openDrawer: async () => undefined,
      prepare: async () => undefined,
      print: (sheets) => {
        const { promise, resolve } = Promise.withResolvers<PrinterFault | undefined>();
        generation.does('print', () => {
          const name = receiptText(sheets.flat(), 48).trim();
          if (!this.out) this.printed.set(name, (this.printed.get(name) ?? 0) + 1);
          const fault = this.out ? 'paper-out' : undefined;
          this.#log.push(`printer: ${fault ?? name}`);
          generation.receives(this.#dice.between(10, 400), () => resolve(fault));
        });
        return promise;
      },
    };
  }
}
