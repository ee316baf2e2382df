import type { Configuration } from '../config/configuration.ts';
import type { Journal } from '../ports/journal.ts';
import type { ReceiptPrinter } from '../ports/receipt-printer.ts';
import type { Log } from '../supervision/log.ts';
import { PaperDesk } from '../terminal/paper.ts';
import { ReceiptService } from '../terminal/receipt-service.ts';
import type { OpenParts } from './open-parts.ts';

interface Paper {
  readonly paper: PaperDesk;
  /** None on a terminal without a printer. */
  readonly receipts?: ReceiptService | undefined;
}

/** What is said on paper, and the queue of what is to be printed. */
export async function openPaper(
  { shop, printer: settings, receipt }: Configuration,
  { journal, printer, log }: { readonly journal: Journal; readonly printer?: ReceiptPrinter; readonly log: Log },
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
  const receipts = printer && opened.add(new ReceiptService({ journal, printer, sheets, onFailure }));
  return { paper, receipts };
}
