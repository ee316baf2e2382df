import type { Device } from './device.ts';

export type PrinterFault = 'absent' | 'paper-out' | 'cover-open' | 'error';

export interface PrinterStatus {
  /** Nothing, when it can print now. */
  readonly fault?: PrinterFault;
  readonly paperNearEnd: boolean;
}

export interface ReceiptPrinter extends Device {
  /** As last learnt: nothing, when it can print. 'absent' until it has answered. */
  readonly fault: PrinterFault | undefined;
  /** Called when a fault comes, changes or goes: a waiting receipt learns here that paper is back. */
  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void;
  /** Asks the printer itself. Never rejects: a printer that does not answer is 'absent'. */
  status(): Promise<PrinterStatus>;
  /**
   * Prints one job of printer commands and asks for the status before and after it.
   * Resolves with the fault when the paper can't be trusted to show the whole job, with nothing when it does.
   */
  print(job: Uint8Array): Promise<PrinterFault | undefined>;
  /**
   * Opens the cash drawer that hangs on the printer, ahead of receipts that wait and whatever its paper is. Resolves with the
   * fault that kept the command from it, with nothing once it has the command. Never rejects. Nobody tells whether a drawer
   * is there or has opened.
   */
  openDrawer(): Promise<PrinterFault | undefined>;
}
