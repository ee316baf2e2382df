import type { Refusal } from '../../base/domain/reason.ts';
import type { PrinterFault, ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import { noPrinter, printerRefusals } from './printer-refusal.ts';

/** Who asks for the drawer. */
export interface DrawerCall {
  readonly posId: string;
  readonly messageId: string;
  readonly cashierId?: string | undefined;
}

/** What the record tells of an opening: that it was asked for, and how it went. */
export type DrawerRecord = DrawerCall & { readonly state: 'asked' | 'opened' | PrinterFault };

export interface TillDrawerParts {
  readonly isAllowed: boolean;
  /** Absent on a terminal without a printer. */
  readonly printer?: Pick<ReceiptPrinter, 'fault' | 'openDrawer'> | undefined;
  /** Written before the pulse, and after it: who opened the drawer must be known, whatever happens. */
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
/** So many openings are known by their names. */
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

  /** Why it can't be opened at this moment. A printer without paper, or open, still takes the pulse. */
  get currentRefusal(): Refusal | undefined {
    const fault = this.#parts.printer?.fault;
    return this.refusal ?? (fault === 'absent' || fault === 'error' ? printerRefusals[fault] : undefined);
  }

  /** What the printer lacks: one without paper, or open, may give the pulse late, or never. */
  get fault(): PrinterFault | undefined {
    return this.#parts.printer?.fault;
  }

  /** Opens it once for one name, however often its till asks. To be called where there is no `refusal`. */
  async open(call: DrawerCall): Promise<Refusal | 'opened' | 'otherRequest'> {
    const { printer } = this.#parts;
    if (this.refusal || !printer) return this.refusal ?? noPrinter;
    const name = JSON.stringify([call.posId, call.messageId]);
    const known = this.#known.get(name);
    if (known && known.cashierId !== call.cashierId) return 'otherRequest';
    const opening = known ?? { cashierId: call.cashierId, done: this.#pulse(call, printer) };
    this.#known.set(name, opening);
    const fault = await opening.done;
    // What did not happen may be asked for again.
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
