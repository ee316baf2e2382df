import type { AdviceAnswered, SetAside } from '../events/answer.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalEvent } from '../events/event.ts';
import type { Intent } from '../events/intent.ts';
import type { Statements } from './statements.ts';
import type { TraceTable } from './trace-table.ts';

/** Events whose content matters for the columns, not only their kind. */
type Telling = 'intent' | 'adviceAnswered' | 'setAside' | 'orderClosed' | 'orderLookedAt' | 'numberTaken';

/**
 * The updates of a transaction's columns for each event. The columns repeat what a start must find without reading the
 * events. `last_insert_rowid()` is the event's.
 */
const updates: Readonly<Record<Exclude<JournalEvent['kind'], Telling>, string | undefined>> = {
  accepted: undefined,
  tipChosen: undefined,
  answered: undefined,
  cardCompleted: undefined,
  givenBackInCash: undefined,
  signed: undefined,
  approvedLate: undefined,
  hostRefused: undefined,
  reversalQueued: "UPDATE txn SET reversal = 'queued', set_aside = NULL, queued = last_insert_rowid() WHERE id = ?",
  reversalSent: undefined,
  reversalAcknowledged: "UPDATE txn SET reversal = 'acknowledged', set_aside = NULL WHERE id = ?",
  adviceQueued: "UPDATE txn SET advice = 'queued', queued = last_insert_rowid() WHERE id = ?",
  adviceSent: undefined,
  withdrawn: 'UPDATE txn SET acquirer_id = NULL, batch = NULL, stan = NULL WHERE id = ?',
  // It counts in the batch in which it became known: the batch in which it began may be settled.
  resolved: `UPDATE txn SET reversal = NULL, set_aside = NULL,
               batch = (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id) WHERE id = ?`,
  ended: 'UPDATE txn SET ended = 1 WHERE id = ?',
  receiptQueued: "UPDATE txn SET receipt = 'queued' WHERE id = ?",
  receiptCutOff: undefined,
  receiptPrinted: "UPDATE txn SET receipt = 'printed' WHERE id = ?",
};

/** Within the commit that wrote the event, directly after it. */
export function projectEvent(
  id: TerminalTransactionId,
  event: JournalEvent,
  statements: Statements,
  numbers: TraceTable,
): void {
  switch (event.kind) {
    case 'intent':
      return projectIntent(id, event, statements);
    case 'adviceAnswered':
      return projectAdvice(id, event, statements);
    case 'setAside':
      return projectSetAside(id, event, statements);
    case 'orderClosed': {
      const sql = 'INSERT OR IGNORE INTO closed_order (txn_id, acquirer_id, stan) VALUES (?, ?, ?)';
      return statements.run(sql, id, event.acquirerId, event.stan);
    }
    case 'orderLookedAt':
      return projectLook(id, event, statements);
    case 'numberTaken':
      for (const row of statements.all('SELECT acquirer_id FROM txn WHERE id = ? AND acquirer_id IS NOT NULL', id)) {
        numbers.moveNumbers(String(row['acquirer_id']) as AcquirerId);
      }
      return;
    default: {
      const sql = updates[event.kind];
      if (sql !== undefined) statements.run(sql, id);
    }
  }
}

/** The trace number of an earlier attempt stays on record: its host may still report on it. */
function projectIntent(id: TerminalTransactionId, { acquirerId, trace }: Intent, { run }: Statements): void {
  run(
    `INSERT OR IGNORE INTO attempt (acquirer_id, stan, txn_id)
     SELECT acquirer_id, stan, id FROM txn WHERE id = ? AND stan IS NOT NULL`,
    id,
  );
  run(
    'UPDATE txn SET acquirer_id = ?, stan = ?, batch = (SELECT batch FROM trace WHERE acquirer_id = ?) WHERE id = ?',
    acquirerId,
    trace.stan,
    acquirerId,
    id,
  );
}

/** An advice that had an answer before is posted after all: it counts in the batch that is open now. */
function projectAdvice(id: TerminalTransactionId, { answer }: AdviceAnswered, { run }: Statements): void {
  run(
    `UPDATE txn SET advice = ?, set_aside = NULL, batch = CASE WHEN advice = 'queued' THEN batch
       ELSE (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id) END
     WHERE id = ?`,
    answer,
    id,
  );
}

/**
 * As with 'resolved', it counts in the batch that is open now. A transaction of a restored older copy stays in its
 * batch, with which it may have been settled.
 */
function projectSetAside(id: TerminalTransactionId, { outcome }: SetAside, { run }: Statements): void {
  run(
    `UPDATE txn SET set_aside = ?, reversal = nullif(reversal, 'queued'),
       advice = CASE WHEN advice IN ('queued', 'rejected') THEN ? ELSE advice END,
       batch = CASE WHEN EXISTS (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id
                                   AND settling.batch = txn.batch AND is_copy = 1)
                    THEN batch ELSE (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id) END
     WHERE id = ?`,
    outcome,
    outcome === 'POSTED' ? 'acknowledged' : 'rejected',
    id,
  );
}

type OrderLook = Extract<JournalEvent, { kind: 'orderLookedAt' }>;

function projectLook(id: TerminalTransactionId, { acquirerId, stan, isLast }: OrderLook, { run }: Statements): void {
  const sql = isLast
    ? 'DELETE FROM closed_order WHERE txn_id = ? AND acquirer_id = ? AND stan = ?'
    : 'UPDATE closed_order SET looks = looks + 1 WHERE txn_id = ? AND acquirer_id = ? AND stan = ?';
  run(sql, id, acquirerId, stan);
}
