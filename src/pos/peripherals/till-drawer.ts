import type { Refusal } from '../../base/domain/reason.ts';
import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import { noPrinter, printerRefusals } from './printer-refusal.ts';

/** The requester of an opening. */
export interface DrawerCall {
  readonly posId: string;
  readonly messageId: string;
  readonly cashierId?: string | undefined;
}

/** The record of an opening: its request, and its result. */
export type DrawerRecord = DrawerCall & { readonly state: 'asked' | 'opened' | PrinterFault };

export interface TillDrawerParts {
  readonly isAllowed: boolean;
  /** Absent on a terminal without a printer. */
  readonly printer?: Pick<ReceiptPrinter, 'fault' | 'openDrawer'> | undefined;
  /** Written before the pulse, and after it, so that every opening is attributed. */
  readonly record: (entry: DrawerRecord) => void | Promise<void>;
}

interface Opening {
  readonly cashierId: string | undefined;
  readonly done: Promise<PrinterFault | undefined>;
}

const notAllowed: Refusal = {
  reason: 'drawerNotAllowed',
  message: 'the configuration forbids a till to open the drawer',
};
/** Maximum number of openings that are remembered by name. */
const knownMax = 1_000;

/** The cash drawer as tills open it, without a payment. */
export class TillDrawer {
  readonly #parts: TillDrawerParts;
  readonly #known = new Map<string, Opening>();

  constructor(parts: TillDrawerParts) {
    this.#parts = parts;
  }

  /** Why no till can open it at all. */
  get refusal(): Refusal | undefined {
    if (!this.#parts.isAllowed) return notAllowed;
    return this.#parts.printer ? undefined : noPrinter;
  }

  /** Why it can't be opened at this moment. A printer without paper, or with an open cover, still accepts the pulse. */
  get currentRefusal(): Refusal | undefined {
    const fault = this.#parts.printer?.fault;
    return this.refusal ?? (fault === 'absent' || fault === 'error' ? printerRefusals[fault] : undefined);
  }

  /** The printer's fault: one without paper, or with an open cover, may give the pulse late, or never. */
  get fault(): PrinterFault | undefined {
    return this.#parts.printer?.fault;
  }

  /** Opens it once for one name, however often its till asks. Must be called only without a `refusal`. */
  async open(call: DrawerCall): Promise<Refusal | 'opened' | 'otherRequest'> {
    const { printer } = this.#parts;
    if (this.refusal || !printer) return this.refusal ?? noPrinter;
    const name = JSON.stringify([call.posId, call.messageId]);
    const known = this.#known.get(name);
    if (known && known.cashierId !== call.cashierId) return 'otherRequest';
    const opening = known ?? { cashierId: call.cashierId, done: this.#pulse(call, printer) };
    this.#known.set(name, opening);
    const fault = await opening.done;
    // A failed opening may be requested again.
    if (fault !== undefined && this.#known.get(name) === opening) this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return fault === undefined ? 'opened' : printerRefusals[fault];
  }

  async #pulse(call: DrawerCall, printer: Pick<ReceiptPrinter, 'openDrawer'>): Promise<PrinterFault | undefined> {
    await this.#parts.record({ ...call, state: 'asked' });
    const fault = await printer.openDrawer();
    await this.#parts.record({ ...call, state: fault ?? 'opened' });
    return fault;
  }
}
