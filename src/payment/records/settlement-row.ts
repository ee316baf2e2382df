import { majorText } from '../../base/domain/amount.ts';
import { isWithin, type TimeRange } from '../../base/domain/time-range.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import type { Journal } from '../contracts/journal.ts';

/**
 * What one settlement has of one batch: a row for each kind and currency, or one without an amount where there is none.
 */
export interface SettlementRow {
  readonly terminalTransactionId: string;
  /** When it was asked for. */
  readonly at: string;
  readonly posId: string;
  readonly messageId: string;
  readonly acquirer: string;
  readonly mid: string;
  readonly tid: string;
  readonly batch: number;
  readonly result: SettledBatch['result'];
  readonly message: string;
  readonly type: string;
  readonly currency: string;
  readonly count: number;
  /** Major units, exactly. */
  readonly amount: string;
  /** The merchant of the acquirer at that time; empty if there was none. */
  readonly merchantId: string;
}

/** A copy of the journal, or the one in use. */
export type SettlementJournal = Pick<Journal, 'settlementsAfter'>;

/** Every settlement that has ended and was requested in that time, the oldest first. */
export async function* settlementRowsOf(reading: SettlementJournal, range: TimeRange): AsyncGenerator<SettlementRow> {
  for (let after = '' as TerminalTransactionId; ; ) {
    const page = await reading.settlementsAfter(after);
    const last = page.at(-1);
    if (!last) return;
    for (const each of page) if (isWithin(new Date(each.at), range)) yield* rowsOf(each);
    after = last.id;
  }
}

function* rowsOf({ id, at, posId, messageId, results = [] }: JournalledSettlement): Generator<SettlementRow> {
  for (const { acquirerId, mid, tid, batch, result, reason = '', totals, merchantId = '' } of results) {
    const common = { terminalTransactionId: id, at, posId, messageId, acquirer: acquirerId, mid, tid, batch };
    const reported = { ...common, result, message: reason };
    if (totals.length === 0) yield { ...reported, type: '', currency: '', count: 0, amount: '', merchantId };
    for (const { kind, currency, count, totalMinor } of totals) {
      const amount = majorText({ minor: BigInt(totalMinor), currency });
      yield { ...reported, type: kind, currency, count, amount, merchantId };
    }
  }
}
