import type { PrinterFault } from '../../base/ports/receipt-printer.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { RecordTree } from '../../payment/records/transaction-status.ts';

export type ReceiptCopy = 'CUSTOMER' | 'MERCHANT';

/** Which copy, in which language: that of the configuration if none is named. */
export interface ReceiptView {
  readonly copy: ReceiptCopy;
  readonly language?: ReceiptLanguage | undefined;
}

/** Receipts of earlier transactions, marked DUPLICATE if there was a first copy. */
export interface Reprints {
  /** Prints the receipt now. Resolves to the printer's fault, or to 'no-printer'. */
  print(tree: RecordTree, copy: ReceiptCopy): Promise<PrinterFault | 'no-printer' | undefined>;
  text(tree: RecordTree, view: ReceiptView): Promise<string>;
  /** Why the printer can't print now, by its last report; undefined if it can. */
  readonly fault: PrinterFault | undefined;
  /** The slip of a copy as lines of text, not marked. */
  slip(record: TransactionRecord, copy: ReceiptCopy): readonly string[];
  png(tree: RecordTree, view: ReceiptView): Promise<Uint8Array>;
  /** One page without anything outside of it. */
  html(tree: RecordTree, view: ReceiptView): Promise<string>;
}
