import type { PrinterFault, ReceiptPrinter, Sheet } from '../ports/receipt-printer.ts';
import type { ReceiptDocument, ReceiptLanguage, ReceiptShop } from '../receipt/document.ts';
import { receiptLines } from '../receipt/lines.ts';
import { receiptPng } from '../receipt/picture.ts';
import { settlementLines } from '../receipt/settlement.ts';
import { receiptText } from '../receipt/text.ts';
import { cardIntentOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { RecordTree } from '../records/standing.ts';
import { presentConclusion } from '../records/told.ts';
import { receiptOf, settlementReportOf } from './receipt-of.ts';
import type { Paper } from './receipt-service.ts';

type Copy = ReceiptDocument['copy'];

export interface PaperOptions {
  readonly shop: ReceiptShop & { readonly logo: string };
  readonly timeZone: string;
  readonly language: ReceiptLanguage;
  readonly columns: number;
  /** When the merchant gets a copy of their own. */
  readonly merchantCopy: 'always' | 'signature' | 'never';
  readonly printer?: ReceiptPrinter;
  readonly onFailure: (error: unknown) => void;
}

/** What is said on paper, and how it gets there. */
export class PaperDesk {
  readonly #options: PaperOptions;

  constructor(options: PaperOptions) {
    this.#options = options;
  }

  /** A paper that is printed for the first time: its copies, one after the other. */
  sheets(paper: Paper): readonly Sheet[] {
    const { shop, timeZone, columns, language } = this.#options;
    if (paper.paper === 'settlement') {
      return [settlementLines(settlementReportOf(paper.settlement, shop, timeZone, language), columns)];
    }
    const { record } = paper.tree;
    return this.#copies(record).map((copy) => this.#lines(record, copy, false));
  }

  /**
   * Loads what the shop's own lines need: a font takes half a second of the loop that serves the reader, and a customer must not
   * feel it. Before READY.
   */
  async warmUp(): Promise<void> {
    const { shop, timeZone, columns, printer, language } = this.#options;
    await printer?.prepare(settlementLines({ language, shop, at: new Date(0), timeZone, batches: [] }, columns));
  }

  async print({ record }: RecordTree, copy: Copy): Promise<PrinterFault | 'no-printer' | undefined> {
    const { printer } = this.#options;
    return printer ? printer.print([this.#lines(record, copy, true)]) : 'no-printer';
  }

  text({ record }: RecordTree, copy: Copy): Promise<string> {
    return Promise.resolve(receiptText(this.#lines(record, copy, true), this.#options.columns));
  }

  png({ record }: RecordTree, copy: Copy): Promise<Uint8Array> {
    const { columns, shop, onFailure } = this.#options;
    return receiptPng(this.#lines(record, copy, true), columns, { logo: shop.logo, onFailure });
  }

  #copies(record: TransactionRecord): readonly Copy[] {
    const { intent } = record;
    // Nobody can tell the customer anything yet: it is for whoever will have to answer them.
    if (presentConclusion(record).result === 'UNKNOWN') return ['MERCHANT'];
    const { merchantCopy } = this.#options;
    const signs = cardIntentOf(intent)?.card.authenticationMethod.includes('SIGNATURE') === true;
    const both = merchantCopy === 'always' || (merchantCopy === 'signature' && signs);
    return both ? ['MERCHANT', 'CUSTOMER'] : ['CUSTOMER'];
  }

  #lines(record: TransactionRecord, copy: Copy, duplicate: boolean): Sheet {
    const { shop, timeZone, columns, language } = this.#options;
    return receiptLines(receiptOf(record, { copy, duplicate, shop, timeZone, language }), columns);
  }
}
