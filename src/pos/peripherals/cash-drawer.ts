import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';

type Pulsing = Pick<ReceiptPrinter, 'fault' | 'openDrawer'>;

/** The cash drawer at the printer. It remembers a cash sale after which the printer did not accept the pulse. */
export class CashDrawer implements Pulsing {
  readonly #printer: Pulsing;
  readonly #listeners: (() => void)[] = [];
  #stayedShut = false;

  constructor(printer: Pulsing) {
    this.#printer = printer;
  }

  get fault(): PrinterFault | undefined {
    return this.#printer.fault;
  }

  /** The last cash sale did not open it, and it was not opened since. A restart forgets it. */
  get stayedShut(): boolean {
    return this.#stayedShut;
  }

  /** Calls the listener after every change of `stayedShut`. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async openDrawer(): Promise<PrinterFault | undefined> {
    const fault = await this.#printer.openDrawer();
    if (fault === undefined) this.#report(false);
    return fault;
  }

  /** After a cash sale. The pulse is not repeated later automatically, because the drawer could open unattended. */
  async openForSale(): Promise<void> {
    this.#report((await this.#printer.openDrawer()) !== undefined);
  }

  #report(stayedShut: boolean): void {
    if (this.#stayedShut === stayedShut) return;
    this.#stayedShut = stayedShut;
    for (const listener of this.#listeners) listener();
  }
}
