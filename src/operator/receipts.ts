import { majorText } from '../base/domain/amount.ts';
import { type AcquirerId, acquirerId, type TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import { type OpenBatches, readOpenBatch } from '../payment/records/batch-reader.ts';
import { readableRecord, type TransactionRecord } from '../payment/records/record.ts';
import { done, refuse } from './menu-answer.ts';
import { type Listed, listedMeans } from './listed.ts';

/** The receipts of the terminal's printer, as the menu uses them. */
export interface MenuReceipts {
  /** Transactions whose receipt is in the queue, oldest first. */
  waiting(): Promise<readonly TerminalTransactionId[]>;
  /** Whether the printer can't print now. */
  readonly isHeldUp: boolean;
  /** Prints a receipt again, or for the first time. Resolves to why it was not printed; undefined if it was. */
  print(id: TerminalTransactionId): Promise<string | undefined>;
  /** Prints the report of a settlement again, marked as a duplicate. As `print`. */
  printSettlement(id: TerminalTransactionId): Promise<string | undefined>;
}

interface ReceiptsParts {
  readonly journal: OpenBatches & Pick<Journal, 'read'>;
  readonly acquirers: readonly string[];
  readonly receipts?: MenuReceipts | undefined;
}

export interface ListedReceipt extends Listed {
  /** It is in the printer's queue. */
  readonly waits?: true;
}

const most = 24;

/** How many receipts wait while the printer can't print; undefined on a terminal without a printer. */
export async function countHeldUp({ receipts }: Pick<ReceiptsParts, 'receipts'>): Promise<number | undefined> {
  if (!receipts) return undefined;
  return receipts.isHeldUp ? (await receipts.waiting()).length : 0;
}

/** Transactions whose receipt can be printed: those that wait, and those of the open batches, the latest first. */
export async function listReceipts({ journal, acquirers, receipts }: ReceiptsParts): Promise<ListedReceipt[]> {
  const ids = (await receipts?.waiting())?.slice(-most) ?? [];
  const waiting = await Promise.all(ids.map(async (id) => readableRecord(id, await journal.read(id))));
  const latest = await Promise.all(acquirers.map((id) => recordsOf(journal, acquirerId(id))));
  const others = latest.flat().filter(({ id }) => !ids.includes(id));
  return [...newestFirst(waiting.flatMap((each) => each ?? [])), ...newestFirst(others)]
    .slice(0, most)
    .flatMap(listReceipt);
}

/**
 * The answer to the operator's request for a receipt. 200 with a reason, because missing paper is not an error of the
 * request.
 */
export async function printReceipt(id: string, { receipts }: ReceiptsParts): Promise<MenuAnswer> {
  const fault = receipts ? await receipts.print(id as TerminalTransactionId) : 'no-printer';
  return fault === undefined ? done : refuse(200, fault);
}

/** As `printReceipt`, of a settlement. */
export async function printSettlement(id: string, { receipts }: ReceiptsParts): Promise<MenuAnswer> {
  const fault = receipts ? await receipts.printSettlement(id as TerminalTransactionId) : 'no-printer';
  return fault === undefined ? done : refuse(200, fault);
}

async function recordsOf(journal: OpenBatches, id: AcquirerId): Promise<readonly TransactionRecord[]> {
  const { batch } = await readOpenBatch(journal, id);
  return batch.items.map(({ record }) => record);
}

function newestFirst(records: readonly TransactionRecord[]): readonly TransactionRecord[] {
  return records.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

function listReceipt({ id, intent, amount, createdAt, request, receipt }: TransactionRecord): ListedReceipt[] {
  if (!intent) return [];
  const shown = { id, kind: request.type, amount: majorText(amount), currency: amount.currency };
  const waits = receipt === 'queued' ? ({ waits: true } as const) : {};
  return [{ ...shown, at: createdAt.toISOString(), ...listedMeans(intent), ...waits }];
}
