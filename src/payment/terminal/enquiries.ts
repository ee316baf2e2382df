import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import { SharedReadings } from '../../base/ports/shared-readings.ts';
import type { Journal } from '../contracts/journal.ts';
import { type TransactionRecord, transactionRecord } from '../records/record.ts';
import { type Ended, readEnd, readPresent, presentOf } from '../records/present.ts';
import type { RecordTree } from '../records/transaction-status.ts';
import type { EnquiryAnswer, NotFound, Owner } from './answers.ts';
import { type Occupancy, ownerOf } from './current-transaction.ts';
import type { Recovery } from './recovery.ts';

/** For this long after a payment its POS may enquire for it: the day of its batch. */
const rememberedMs = 86_400_000;

export interface EnquiriesParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly occupancy: Occupancy;
  readonly recovery: Recovery;
}

/**
 * Looks transactions up: in the run, in the journal, and in the conclusions that were reported while the journal
 * failed.
 */
export class Enquiries {
  readonly #parts: EnquiriesParts;
  readonly #trees = new SharedReadings<TerminalTransactionId, RecordTree | undefined>();

  constructor(parts: EnquiriesParts) {
    this.#parts = parts;
  }

  async payment(posId: string, messageId: string): Promise<EnquiryAnswer> {
    const { occupancy, journal } = this.#parts;
    const run = occupancy.paymentOf({ posId, messageId });
    if (run?.run.started === true) return { kind: 'running', ...run.run.running };
    const { transaction: id } = await journal.findIdentity(posId, messageId);
    // The payment may have begun while the journal was read. Until it has started, it may be the repeat of one that has
    // an outcome.
    const runNow = occupancy.paymentOf({ posId, messageId });
    const isRepeat = runNow?.run.started === false && id !== undefined && id !== runNow.run.id;
    if (runNow && !isRepeat) return { kind: 'running', ...runNow.run.running };
    const tree = id && (await this.recall(id));
    return tree ? { kind: 'ended', record: tree.record, ...presentOf(tree) } : this.notFound();
  }

  /**
   * The owner of the payment or settlement with this id; undefined if there is none. Rejects with JournalError, or
   * UnreadableRecord.
   */
  async identityOf(id: TerminalTransactionId): Promise<Owner | undefined> {
    const { occupancy, journal } = this.#parts;
    if (occupancy.payment && occupancy.transaction === id) return ownerOf(occupancy.payment);
    const events = await journal.read(id);
    return events.length > 0 ? transactionRecord(id, events).request : journal.readSettlement(id);
  }

  /** A settlement as it stands now; 'running' also if a restart has interrupted it. */
  async settlement(posId: string, messageId: string): Promise<JournalledSettlement | 'running' | undefined> {
    const { journal, occupancy } = this.#parts;
    const { settlement: found } = await journal.findIdentity(posId, messageId);
    if (found?.results) return settledSince(found, journal);
    return found || occupancy.settlementOf({ posId, messageId }) ? 'running' : undefined;
  }

  /**
   * A transaction by its own id, with all transactions that refer to it. Calls about one transaction share a reading that
   * begins after each of them.
   */
  async recall(id: TerminalTransactionId): Promise<RecordTree | undefined> {
    const tree = await this.#trees.read(id, () => readPresent(id, this.#parts.journal));
    return tree && { ...tree, record: this.#withReportedEnd(tree.record) };
  }

  async readEnd(id: TerminalTransactionId): Promise<Ended> {
    const ended = await readEnd(id, this.#parts.journal);
    return { ...ended, record: this.#withReportedEnd(ended.record) };
  }

  notFound(): NotFound {
    const { journal, clock } = this.#parts;
    if (journal.restored) return { kind: 'notFound', since: journal.restored.at };
    const agoMs = clock.now().getTime() - new Date(journal.since ?? 0).getTime();
    // A negative age means that the clock is behind, so the real age is not known.
    return {
      kind: 'notFound',
      ...(journal.since !== undefined && agoMs < rememberedMs ? { since: journal.since } : {}),
    };
  }

  /** Adds the conclusion that was reported first, if the journal could not store it. */
  #withReportedEnd(record: TransactionRecord): TransactionRecord {
    const { occupancy, recovery } = this.#parts;
    return occupancy.transaction === record.id ? record : recovery.withReportedEnd(record);
  }
}

type Known = Pick<Journal, 'settlingBatches' | 'settlingLater'>;

/**
 * A settlement as it stands now. A batch that had failed may have been settled since, by a late answer or by a later
 * settlement.
 */
async function settledSince(settlement: JournalledSettlement, journal: Known): Promise<JournalledSettlement> {
  const results: SettledBatch[] = [];
  for (const each of settlement.results ?? []) {
    results.push(each.result === 'FAILED' ? await present(each, settlement, journal) : each);
  }
  return { ...settlement, results };
}

async function present(
  failed: SettledBatch,
  { id }: Pick<JournalledSettlement, 'id'>,
  journal: Known,
): Promise<SettledBatch> {
  const { acquirerId, batch } = failed;
  const { reason: _reason, ...reported } = failed;
  const waiting = (await journal.settlingBatches(acquirerId)).find((each) => each.batch === batch);
  if (waiting) {
    const { currencies } = waiting;
    if (currencies.length === 0 || currencies.some(({ result }) => result === undefined)) return failed;
    const isUploaded = currencies.some(({ result }) => result === 'UPLOADED');
    const isConfirmed = currencies.some(({ result }) => result === 'CONFIRMED');
    return { ...reported, result: isUploaded ? 'UPLOADED' : 'BALANCED', ...(isConfirmed ? { confirmed: true } : {}) };
  }
  const later = await journal.settlingLater(id, acquirerId, batch);
  // If nothing was settled under that number, its transactions are in another batch.
  return later?.results?.find((each) => each.acquirerId === acquirerId && each.batch === batch) ?? failed;
}
