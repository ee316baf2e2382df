import type { Configuration } from '../config/configuration.ts';
import type { Journal } from '../ports/journal.ts';
import type { ReceiptEvent } from '../ports/terminal-events.ts';
import type { ReceiptPrinter } from '../ports/receipt-printer.ts';
import { logoUri } from '../receipt/logo.ts';
import type { Log } from '../supervision/log.ts';
import { PaperDesk } from '../terminal/paper.ts';
import { ReceiptService } from '../terminal/receipt-service.ts';
import type { OpenParts } from './open-parts.ts';

interface Paper {
  /** The logo in answers to a POS that prints. */
  readonly shopLogo: string;
  readonly paper: PaperDesk;
  /** Absent on a terminal without a printer. */
  readonly receipts?: ReceiptService | undefined;
}

interface PaperParts {
  readonly journal: Journal;
  readonly printer?: ReceiptPrinter;
  readonly events: { tellReceipt(event: ReceiptEvent): void };
  readonly log: Log;
}

/** The layout of receipts, and the queue of receipts to print. */
export async function openPaper(
  { shop, printer: settings, receipt }: Configuration,
  { journal, printer, events, log }: PaperParts,
  opened: OpenParts,
): Promise<Paper> {
  const onFailure = (error: unknown) => log.failure('receipt', error);
  const paper = new PaperDesk({
    shop,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: receipt.language,
    columns: settings?.columns ?? 48,
    merchantCopy: receipt.merchantCopy,
    ...(printer ? { printer } : {}),
    onFailure,
  });
  await paper.warmUp();
  const sheets = (each: Parameters<PaperDesk['sheets']>[0]) => paper.sheets(each);
  const onReceipt = (event: ReceiptEvent) => events.tellReceipt(event);
  const receipts = printer && opened.add(new ReceiptService({ journal, printer, sheets, onReceipt, onFailure }));
  return { paper, receipts, shopLogo: await logoUri(shop.logo, onFailure) };
}
