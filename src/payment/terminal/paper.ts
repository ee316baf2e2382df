import { ownPosIds } from '../../base/domain/identifiers.ts';
import type { JournalledSettlement } from '../events/settlement.ts';
import type { PrinterFault, ReceiptPrinter, Sheet } from '../../base/ports/receipt-printer.ts';
import type { ReceiptDocument, ReceiptShop } from '../../receipt/document.ts';
import { receiptHtml } from '../../receipt/html.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { ReceiptLayout } from '../../receipt/layout.ts';
import { receiptLines } from '../../receipt/lines.ts';
import { receiptPng } from '../../receipt/picture.ts';
import { settlementLines } from '../../receipt/settlement.ts';
import { receiptText } from '../../receipt/line.ts';
import { cardIntentOf } from '../records/payment.ts';
import { presentAmounts, presentConclusion } from '../records/present.ts';
import type { TransactionRecord } from '../records/record.ts';
import { type RecordTree, transactionStatus } from '../records/transaction-status.ts';
import { headerOf, type MerchantHeaders } from './merchant-header.ts';
import { receiptOf, settlementReportOf } from './receipt-of.ts';
import type { Paper } from './receipt-service.ts';

type Copy = ReceiptDocument['copy'];

/** Which copy, in which language: that of the configuration if none is named. */
export interface ReceiptView {
  readonly copy: Copy;
  readonly language?: ReceiptLanguage | undefined;
}

/** With its marks: whether it is a reprint, and whether an earlier print was cut off. */
type MarkedView = ReceiptView & { readonly duplicate?: boolean; readonly cutOff?: boolean };

/** ASCII: each printer has these. */
const printable = /^[\x20-\x7e]*$/;

export interface PaperOptions {
  readonly shop: ReceiptShop & { readonly logo: string };
  /** The headers of merchants, by their ids. */
  readonly merchants?: MerchantHeaders;
  readonly timeZone: string;
  readonly language: ReceiptLanguage;
  readonly columns: number;
  readonly layout: ReceiptLayout;
  /** When a second copy is printed for the merchant. */
  readonly merchantCopy: 'always' | 'signature' | 'never';
  readonly printer?: ReceiptPrinter;
  readonly onFailure: (error: unknown) => void;
}

/** Lays out receipts and reports, and prints them. */
export class PaperService {
  readonly #options: PaperOptions;

  constructor(options: PaperOptions) {
    this.#options = options;
  }

  /** Lays out a paper that is printed for the first time: one sheet a copy. */
  sheets(paper: Paper): readonly Sheet[] {
    if (paper.paper === 'settlement') return this.#settlementSheets(paper.settlement);
    const { tree } = paper;
    const cutOff = tree.record.receiptCutOff === true;
    return this.#copies(tree.record).map((copy) => this.#lines(tree, { copy, duplicate: false, cutOff }));
  }

  /**
   * Loads the fonts for the shop's own lines, before READY. Loading takes half a second of the event loop that also
   * serves the customer's screen. Lines in the printer's own characters need no font, and nothing is loaded for them.
   */
  async warmUp(): Promise<void> {
    const { shop, merchants, printer, language } = this.#options;
    const headers = [shop, ...(merchants?.values() ?? [])];
    const texts = headers.flatMap((each) => [each.name, each.address, each.phone, each.email]);
    if (language === 'en' && shop.logo === '' && texts.every((text) => printable.test(text))) return;
    const { timeZone, columns } = this.#options;
    const of = (header: ReceiptShop) => ({ language, shop: header, at: new Date(0), timeZone, batches: [] });
    await printer?.prepare(headers.flatMap((each) => settlementLines(of(each), columns)));
  }

  async print(tree: RecordTree, copy: Copy): Promise<PrinterFault | 'no-printer' | undefined> {
    const { printer } = this.#options;
    return printer ? printer.print([this.#lines(tree, { copy })]) : 'no-printer';
  }

  /** Prints the report of a settlement again, marked DUPLICATE. */
  async printSettlement(settlement: JournalledSettlement): Promise<PrinterFault | 'no-printer' | undefined> {
    const { printer } = this.#options;
    return printer ? printer.print(this.#settlementSheets(settlement, true)) : 'no-printer';
  }

  /** A sheet for each merchant, with its header. */
  #settlementSheets(settlement: JournalledSettlement, duplicate = false): readonly Sheet[] {
    const { shop, merchants, timeZone, columns, language } = this.#options;
    const groups = Map.groupBy(settlement.results ?? [], ({ merchantId }) => merchantId);
    if (groups.size === 0) groups.set(settlement.merchantId, []);
    return [...groups].map(([merchantId, results]) => {
      const header = headerOf(merchantId, shop, merchants);
      const report = settlementReportOf({ ...settlement, results }, header, timeZone, language);
      return settlementLines({ ...report, ...(duplicate ? { duplicate } : {}) }, columns);
    });
  }

  text(tree: RecordTree, view: ReceiptView): Promise<string> {
    return Promise.resolve(receiptText(this.#lines(tree, view), this.#options.columns));
  }

  png(tree: RecordTree, view: ReceiptView): Promise<Uint8Array> {
    const { columns, shop, onFailure } = this.#options;
    return receiptPng(this.#lines(tree, view), columns, { logo: shop.logo, onFailure });
  }

  html(tree: RecordTree, view: ReceiptView): Promise<string> {
    const { layout, shop, onFailure } = this.#options;
    return receiptHtml(this.#document(tree, view), layout, { logo: shop.logo, onFailure });
  }

  get fault(): PrinterFault | undefined {
    return this.#options.printer?.fault;
  }

  /** The slip of a copy as lines of text, for a POS that prints it for the first time. */
  slip(record: TransactionRecord, copy: Copy): readonly string[] {
    return receiptText(this.#lines({ record, later: [] }, { copy, duplicate: false }), this.#options.columns)
      .trimEnd()
      .split('\n');
  }

  #copies(record: TransactionRecord): readonly Copy[] {
    // The outcome is unknown: customer and merchant need a slip to clarify it with.
    if (presentConclusion(record).result === 'UNKNOWN') return ['MERCHANT', 'CUSTOMER'];
    const { merchantCopy } = this.#options;
    const signs = cardIntentOf(record.intent)?.card.authenticationMethod.includes('SIGNATURE') === true;
    // A signature on the screen is stored, and needs no paper.
    const isSlip = merchantCopy === 'signature' && signs && record.signature === undefined;
    const both = merchantCopy === 'always' || isSlip || isUnlinkedByOperator(record);
    return both ? ['MERCHANT', 'CUSTOMER'] : ['CUSTOMER'];
  }

  #lines(tree: RecordTree, view: MarkedView): Sheet {
    const { columns, layout } = this.#options;
    return receiptLines(this.#document(tree, view), columns, layout);
  }

  /** Marks later voids and refunds, so that the paper is not taken for an unchanged sale. */
  #document(tree: RecordTree, { language, duplicate = hasPaper(tree.record), ...view }: MarkedView): ReceiptDocument {
    const { merchants, timeZone, language: own } = this.#options;
    const shop = headerOf(tree.record.request.merchantId, this.#options.shop, merchants);
    const { voided } = transactionStatus(tree);
    const changed = presentAmounts(tree);
    return receiptOf(tree.record, { ...view, duplicate, voided, changed, shop, timeZone, language: language ?? own });
  }
}

/** Whether there is, or will be, a first copy on paper. A POS that prints had the first copy in its answer. */
function hasPaper({ receipt, request }: TransactionRecord): boolean {
  return receipt !== undefined || request.printedBy === 'pos';
}

/** A refund that names no sale: only the merchant's copy documents why money was paid out. */
function isUnlinkedByOperator({ request }: TransactionRecord): boolean {
  return request.type === 'REFUND' && request.originalId === undefined && request.posId === ownPosIds.operator;
}
