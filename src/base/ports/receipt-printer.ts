import type { ReceiptLine } from '../../receipt/line.ts';
import type { Device } from './device.ts';

export const printerFaults = ['absent', 'paper-out', 'cover-open', 'error'] as const;
export type PrinterFault = (typeof printerFaults)[number];

/** unknown: this printer can't report it. */
export type PaperState = 'ok' | 'low' | 'out' | 'unknown';

export interface PrinterStatus {
  /** Absent if it can print now. */
  readonly fault?: PrinterFault;
  readonly paperNearEnd: boolean;
  /** True of a printer that is connected and can't report its state. */
  readonly untold?: true;
}

/** One piece of paper: its lines, laid out for the printer's columns. It is cut after the last line. */
export type Sheet = readonly ReceiptLine[];

export interface PrintOptions {
  /** The sheets begin with their first line, and not with the shop's logo. */
  readonly withoutLogo?: true;
  /** Called right before the first byte leaves: from then on some of it may be on paper. */
  readonly onBegin?: () => void;
}

export interface ReceiptPrinter extends Device {
  /** The last known fault; undefined if it can print. 'absent' until it has answered. */
  readonly fault: PrinterFault | undefined;
  /** The last known state of the paper; undefined while the printer is absent. */
  readonly paperState?: PaperState | undefined;
  /**
   * Calls the listener when a fault appears, changes or ends, so that waiting receipts are printed once paper is back.
   */
  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void;
  /** Asks the printer itself. Never rejects: a printer that does not answer is 'absent'. */
  status(): Promise<PrinterStatus>;
  /** Loads what these lines need (a font), so that the first receipt does not wait for it. Rejects as `print` does. */
  prepare(sheet: Sheet): Promise<void>;
  /**
   * Prints the sheets one after the other, and asks for the status before and after them. Resolves with a fault if some
   * of them may not be on paper, with undefined if all are. Rejects with RangeError for lines that were laid out for
   * wider paper.
   */
  print(sheets: readonly Sheet[], options?: PrintOptions): Promise<PrinterFault | undefined>;
  /**
   * Opens the cash drawer at the printer, before waiting receipts and whatever the paper's state. Resolves with the
   * fault that prevented the command, or with undefined once the printer has it. Never rejects. It can't be detected
   * whether a drawer is connected or has opened.
   */
  openDrawer(): Promise<PrinterFault | undefined>;
}
