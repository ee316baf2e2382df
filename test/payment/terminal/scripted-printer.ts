import assert from 'node:assert/strict';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import type {
  PrinterFault,
  PrinterStatus,
  PrintOptions,
  ReceiptPrinter,
  Sheet,
} from '../../../src/base/ports/receipt-printer.ts';
import { receiptText } from '../../../src/receipt/line.ts';

/** Prints what it is given, unless a fault is set. */
export class ScriptedPrinter implements ReceiptPrinter {
  readonly name = 'scripted printer';
  readonly state: DeviceState = 'ready';
  fault: PrinterFault | undefined;
  readonly paper: string[] = [];
  jobs = 0;
  jobsInFlight = 0;
  onPrint: () => void | Promise<void> = () => undefined;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #faultListeners = new Set<(fault: PrinterFault | undefined) => void>();

  async prepare(): Promise<void> {}

  /** The next job begins, and does not get to its end. */
  cutsOffNext = false;

  async print(sheets: readonly Sheet[], options?: PrintOptions): Promise<PrinterFault | undefined> {
    this.jobs += 1;
    this.jobsInFlight += 1;
    try {
      await this.onPrint();
      assert.equal(this.jobsInFlight, 1, 'two jobs at once');
      if (this.fault === undefined) options?.onBegin?.();
      if (this.cutsOffNext) {
        this.cutsOffNext = false;
        return 'paper-out';
      }
      if (this.fault === undefined) this.paper.push(receiptText(sheets.flat(), 48).trim());
      return this.fault;
    } finally {
      this.jobsInFlight -= 1;
    }
  }

  drawers = 0;

  async openDrawer(): Promise<PrinterFault | undefined> {
    if (this.fault === 'absent') return 'absent';
    this.drawers += 1;
    return undefined;
  }

  async status(): Promise<PrinterStatus> {
    return { ...(this.fault === undefined ? {} : { fault: this.fault }), paperNearEnd: false };
  }

  become(fault: PrinterFault | undefined): void {
    this.fault = fault;
    for (const listener of this.#faultListeners) listener(fault);
  }

  reconnect(): void {
    for (const listener of this.#stateListeners) listener('ready');
  }

  get listeners(): number {
    return this.#stateListeners.size + this.#faultListeners.size;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  async close(): Promise<void> {}
}
