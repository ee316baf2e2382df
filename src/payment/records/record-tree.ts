import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import type { CustomerMatter } from '../events/customer-matter.ts';
import { customerMatters, isContradicted } from './customer-matters.ts';
import { type TransactionRecord, transactionRecord, UnreadableRecord } from './record.ts';
import {
  findGivenBack,
  findReturn,
  isAdjustment,
  type RecordTree,
  stands,
  transactionStatus,
} from './transaction-status.ts';

type Reading = Pick<Journal, 'read' | 'later'>;

/**
 * A transaction with all that refer to it, recursively; undefined if there is none. A chain ends with a void, so it is
 * short.
 */
export async function buildTree(id: TerminalTransactionId, journal: Reading): Promise<RecordTree | undefined> {
  const events = await journal.read(id);
  if (events.length === 0) return undefined;
  const tree = await withOriginal(await grown(transactionRecord(id, events), journal), journal);
  const matters = customerMatters(tree, await originalOf(tree, journal));
  return matters.length === 0 ? tree : { ...tree, record: { ...tree.record, matters } };
}

/** As `buildTree`, but undefined also if the transaction, or one that refers to it, can't be read. */
export async function readableTree(id: TerminalTransactionId, journal: Reading): Promise<RecordTree | undefined> {
  return buildTree(id, journal).catch(unlessUnreadable);
}

function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableRecord)) throw error;
}

/** What is or was to be settled with the customer of this transaction; empty if there is no such transaction. */
export async function readMatters(id: TerminalTransactionId, journal: Reading): Promise<readonly CustomerMatter[]> {
  return (await buildTree(id, journal))?.record.matters ?? [];
}

/**
 * What a void or a refund refers to, if a matter of it depends on that; undefined for other kinds. All that refers to
 * the original is read only where it counts: there may be many.
 */
async function originalOf({ record }: RecordTree, journal: Reading): Promise<RecordTree | undefined> {
  const { type, originalId, isStray } = record.request;
  if (originalId === undefined || isStray || !(type === 'REFUND' || type.startsWith('VOID_'))) return undefined;
  const isWhole = isContradicted(record);
  if (!isWhole && !stands(record)) return undefined;
  // What can't be read contradicts nothing.
  const reading = isWhole ? growRecord(originalId, journal) : readAlone(originalId, journal);
  return reading.catch(unlessUnreadable);
}

/**
 * Adds to a void, refund, tip or completion that was not carried out whether its original stands, that is, whether it
 * is in its host's books to stay. What else refers to the original is not read, because there may be many.
 */
async function withOriginal(tree: RecordTree, journal: Reading): Promise<RecordTree> {
  const { record } = tree;
  const { originalId, isStray } = record.request;
  if (originalId === undefined || isStray) return tree;
  if (stands(record)) return isAdjustment(record) ? withVoidedOriginal(tree, originalId, journal) : tree;
  const original = await readAlone(originalId, journal).catch(unlessUnreadable);
  if (!original) return tree;
  const originalStands = stands(original.record) && original.record.reversal !== 'queued';
  return { ...tree, record: { ...record, originalStands } };
}

/** A void of a sale also voids its tip adjustment. A sale has few references, or none that is a tip. */
async function withVoidedOriginal(
  tree: RecordTree,
  originalId: TerminalTransactionId,
  journal: Reading,
): Promise<RecordTree> {
  const original = await growRecord(originalId, journal).catch(unlessUnreadable);
  const isVoided = original !== undefined && transactionStatus(original).voided;
  return isVoided ? { ...tree, record: { ...tree.record, originalVoided: true } } : tree;
}

async function readAlone(id: TerminalTransactionId, journal: Reading): Promise<RecordTree> {
  return { record: transactionRecord(id, await journal.read(id)), later: [] };
}

/** A transaction as it is reported now. Approvals of earlier attempts are included if they change what is reported. */
export async function recordNow(id: TerminalTransactionId, journal: Reading): Promise<TransactionRecord> {
  const record = transactionRecord(id, await journal.read(id));
  if (record.conclusion?.result === 'SUCCESS') return record;
  return (await withOriginal(await grown(record, journal), journal)).record;
}

async function growRecord(id: TerminalTransactionId, journal: Reading): Promise<RecordTree> {
  return grown(transactionRecord(id, await journal.read(id)), journal);
}

/** Reads all that refer to it in one call of the journal. */
async function grown(record: TransactionRecord, journal: Reading): Promise<RecordTree> {
  const records = (await journal.later(record.id)).map(({ id, events }) => transactionRecord(id, events));
  return treeOf(
    record,
    Map.groupBy(records, ({ request }) => request.originalId),
  );
}

/** `referring`: the records by what they refer to. A reference of a damaged journal to itself ends. */
function treeOf(
  record: TransactionRecord,
  referring: Map<string | undefined, readonly TransactionRecord[]>,
): RecordTree {
  const own = referring.get(record.id) ?? [];
  referring.delete(record.id);
  const all = own.map((each) => treeOf(each, referring));
  const unmatched = all.flatMap((each) => (each.record.request.isStray ? [each.record] : []));
  const later = all.filter((each) => !each.record.request.isStray);
  const returned = findReturn({ record, later });
  const givenBackLater = findGivenBack({ record, later });
  const known = {
    ...(unmatched.length > 0 ? { unmatched } : {}),
    ...(returned ? { returned } : {}),
    ...(givenBackLater ? { givenBackLater } : {}),
  };
  return { record: { ...record, ...known }, later };
}
