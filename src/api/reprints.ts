import type { PrinterFault } from '../ports/receipt-printer.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { RecordTree } from '../records/standing.ts';

export type ReceiptCopy = 'CUSTOMER' | 'MERCHANT';

/** Receipts of earlier transactions, marked DUPLICATE if there was a first copy. */
export interface Reprints {
  /** Prints the receipt now. Resolves to the printer's fault, or to 'no-printer'. */
  print(tree: RecordTree, copy: ReceiptCopy): Promise<PrinterFault | 'no-printer' | undefined>;
  text(tree: RecordTree, copy: ReceiptCopy): Promise<string>;
  /** Why the printer can't print now, by its last word; undefined if it can. */
  readonly fault: PrinterFault | undefined;
  /** The slip of a copy as lines of text, not marked. */
  slip(record: TransactionRecord, copy: ReceiptCopy): readonly string[];
  png(tree: RecordTree, copy: ReceiptCopy): Promise<Uint8Array>;
}
