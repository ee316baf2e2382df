import type { ReceiptLine } from '../receipt/line.ts';
import type { Device } from './device.ts';

export type PrinterFault = 'absent' | 'paper-out' | 'cover-open' | 'error';

export interface PrinterStatus {
  /** Nothing, when it can print now. */
  readonly fault?: PrinterFault;
  readonly paperNearEnd: boolean;
}

/** One piece of paper: its lines, laid out for the printer's columns, cut off behind the last one. */
export type Sheet = readonly ReceiptLine[];

export interface ReceiptPrinter extends Device {
  /** As last learnt: nothing, when it can print. 'absent' until it has answered. */
  readonly fault: PrinterFault | undefined;
  /** Called when a fault comes, changes or goes: a waiting receipt learns here that paper is back. */
  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void;
  /** Asks the printer itself. Never rejects: a printer that does not answer is 'absent'. */
  status(): Promise<PrinterStatus>;
  /** Loads what such lines take to print (a font), so that the first receipt need not wait for it. Rejects as `print` does. */
  prepare(sheet: Sheet): Promise<void>;
  /**
   * Prints the sheets one after the other and asks for the status before and after them. Resolves with the fault when the paper
   * can't be trusted to show all of them, with nothing when it does. Rejects with RangeError for lines laid out for wider paper.
   */
  print(sheets: readonly Sheet[]): Promise<PrinterFault | undefined>;
  /**
   * Opens the cash drawer that hangs on the printer, ahead of receipts that wait and whatever its paper is. Resolves with the
   * fault that kept the command from it, with nothing once it has the command. Never rejects. Nobody tells whether a drawer
   * is there or has opened.
   */
  openDrawer(): Promise<PrinterFault | undefined>;
}
