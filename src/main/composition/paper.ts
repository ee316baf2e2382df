import type { Reprints } from '../../pos/api/reprints.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { ReceiptEvent } from '../../payment/contracts/terminal-events.ts';
import type { ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { MenuReceipts } from '../../operator/receipts.ts';
import { logoUri } from '../../receipt/logo.ts';
import type { Log } from '../../observability/log.ts';
import { buildTree } from '../../payment/records/record-tree.ts';
import { PaperService } from '../../payment/terminal/paper.ts';
import { printAgain } from '../../payment/terminal/print-again.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import type { ReceiptService } from '../../payment/terminal/receipt-service.ts';
import { merchantHeaders } from './merchants.ts';
import type { OpenParts } from './open-parts.ts';
import { BoundReceipts } from './parts-boundary.ts';
import { lazyTimeZone } from '../../observability/time-zone.ts';

interface Paper {
  /** The logo in answers to a POS that prints. */
  readonly shopLogo: string;
  readonly reprints: Reprints;
  /** Absent on a terminal without a printer. */
  readonly receipts?: ReceiptService | undefined;
  /** The receipts as the operator's menu uses them. */
  readonly menuReceipts?: MenuReceipts | undefined;
}

interface PaperParts {
  readonly journal: Journal;
  readonly paper: PaperService;
  readonly printer?: ReceiptPrinter;
  readonly events: { emitReceipt(event: ReceiptEvent): void };
  /** Called when a receipt was printed or is held up. */
  readonly onReceipt: () => void;
  readonly log: Log;
  readonly boundary: PartBoundary;
}

/** The layout of receipts, with the fonts that the shop's own lines need. */
export async function prepareLayout(
  { shop, merchants, printer: settings, receipt }: Configuration,
  printer: ReceiptPrinter | undefined,
  log: Log,
): Promise<PaperService> {
  const zone = lazyTimeZone();
  const paper = new PaperService({
    shop,
    merchants: merchantHeaders({ merchants }),
    get timeZone() {
      return zone.timeZone;
    },
    language: receipt.language,
    columns: settings?.columns ?? 48,
    layout: receipt.layout,
    merchantCopy: receipt.merchantCopy,
    ...(printer ? { printer } : {}),
    onFailure: (error) => log.failure('receipt', error),
  });
  await paper.warmUp();
  return paper;
}

/** The queue of receipts to print, and who else prints. */
export async function openPaper(
  { shop }: Configuration,
  { journal, paper, printer, events, log, boundary, onReceipt: heard }: PaperParts,
  opened: OpenParts,
): Promise<Paper> {
  const onFailure = (error: unknown) => log.failure('receipt', error);
  const sheets = (each: Parameters<PaperService['sheets']>[0]) => paper.sheets(each);
  const onReceipt = (event: ReceiptEvent) => {
    events.emitReceipt(event);
    heard();
  };
  const receipts =
    printer && opened.add(new BoundReceipts({ journal, printer, sheets, onReceipt, onFailure }, boundary));
  const again: Reprints['print'] = (tree, copy) => printAgain(tree, copy, { journal, paper, receipts });
  return {
    reprints: {
      get fault() {
        return paper.fault;
      },
      slip: (record, copy) => paper.slip(record, copy),
      text: (tree, view) => paper.text(tree, view),
      png: (tree, view) => paper.png(tree, view),
      html: (tree, view) => paper.html(tree, view),
      print: again,
    },
    receipts,
    menuReceipts: printer && openMenuReceipts({ journal, printer, paper, printAgain: again }),
    shopLogo: await logoUri(shop.logo, onFailure),
  };
}

function openMenuReceipts({
  journal,
  printer,
  paper,
  printAgain: again,
}: {
  readonly journal: Journal;
  readonly printer: ReceiptPrinter;
  readonly paper: PaperService;
  readonly printAgain: Reprints['print'];
}): MenuReceipts {
  return {
    waiting: async () =>
      (await journal.waitingReceipts()).filter(({ paper }) => paper === 'receipt').map(({ id }) => id),
    get isHeldUp() {
      return printer.fault !== undefined;
    },
    async print(id) {
      const tree = await buildTree(id, journal);
      return tree ? again(tree, 'CUSTOMER') : 'notWaiting';
    },
    async printSettlement(id) {
      const settlement = await journal.readSettlement(id);
      return settlement ? paper.printSettlement(settlement) : 'notWaiting';
    },
  };
}
