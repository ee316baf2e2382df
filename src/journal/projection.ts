import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalEvent, StoredEvent } from '../payment/events/event.ts';
import type { Intent } from '../payment/events/intent.ts';
import {
  countsAnew,
  countsNoLonger,
  type Finding,
  findingOf,
  nowhere,
  type Place,
  placeAfter,
  positionOf,
  sourceOf,
  type Views,
} from '../payment/records/evidence.ts';
import { isContradicted } from '../payment/records/customer-matters.ts';
import { readableRecord } from '../payment/records/record.ts';
import { stands } from '../payment/records/transaction-status.ts';
import type { Changes } from './changes.ts';
import { matterSchema } from './schema.ts';
import type { Statements } from './statements.ts';
import type { TraceTable } from './trace-table.ts';

/** Events whose content matters for the columns, not only their kind. */
type ReportingKind = 'intent' | 'orderClosed' | 'orderLookedAt' | 'numberTaken' | 'settledWithCustomer';

/**
 * The updates of a transaction's columns for each event. The columns repeat the data that a start must find without
 * reading the events. `last_insert_rowid()` is the event's.
 */
const updates: Readonly<Record<Exclude<JournalEvent['kind'], ReportingKind>, string | undefined>> = {
  accepted: undefined,
  tipChosen: undefined,
  optionAnswered: undefined,
  answered: undefined,
  partlyApproved: undefined,
  cardCompleted: undefined,
  signed: undefined,
  approvedLate: undefined,
  hostRefused: undefined,
  reversalQueued: 'UPDATE txn SET queued = last_insert_rowid() WHERE id = ?',
  reversalSent: undefined,
  reversalAcknowledged: undefined,
  adviceQueued: 'UPDATE txn SET queued = last_insert_rowid() WHERE id = ?',
  adviceSent: undefined,
  adviceAnswered: undefined,
  setAside: undefined,
  resolved: undefined,
  withdrawn: 'UPDATE txn SET acquirer_id = NULL, batch = NULL, stan = NULL WHERE id = ?',
  ended: 'UPDATE txn SET ended = 1 WHERE id = ?',
  receiptQueued: "UPDATE txn SET receipt = 'queued' WHERE id = ?",
  receiptCutOff: undefined,
  givenBackInCash: undefined,
  receiptPrinted: "UPDATE txn SET receipt = 'printed' WHERE id = ?",
};

export interface ProjectionParts {
  readonly statements: Statements;
  readonly numbers: TraceTable;
  readonly changes: Changes;
}

/** Runs within the commit that wrote the event, directly after it. `events`: returns all events of its transaction. */
export function projectEvent(
  id: TerminalTransactionId,
  event: JournalEvent,
  events: () => readonly StoredEvent[],
  { statements, numbers, changes }: ProjectionParts,
): void {
  const finding = findingOf(event);
  if (finding !== undefined && isProjected(finding)) projectPosition(id, finding, events(), statements, changes);
  switch (event.kind) {
    case 'intent':
      return projectIntent(id, event, statements);
    case 'orderClosed': {
      const sql = 'INSERT OR IGNORE INTO closed_order (txn_id, acquirer_id, stan) VALUES (?, ?, ?)';
      return statements.run(sql, id, event.acquirerId, event.stan);
    }
    case 'orderLookedAt':
      return projectLook(id, event, statements);
    case 'settledWithCustomer':
      if (events().every(({ event: { kind } }) => kind !== 'givenBackInCash')) removeMatter(id, statements);
      return;
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

/** The columns do not show host answers, so the findings of an ordinary payment change no column. */
function isProjected(finding: Finding): boolean {
  return finding !== 'attemptBegun' && finding !== 'hostAnswered';
}

/**
 * Updates the columns to the transaction's position, which records/evidence.ts alone decides. `events`: all events of
 * the transaction, including this one.
 */
function projectPosition(
  id: TerminalTransactionId,
  finding: Finding,
  events: readonly StoredEvent[],
  statements: Statements,
  changes: Changes,
): void {
  const { all, run } = statements;
  const isSettled = isSettledAsPosted(id, statements);
  const earlier = events.slice(0, -1);
  const isReadable = earlier.every(({ event }) => event.kind !== 'unreadable');
  const before = isReadable
    ? placeOf(earlier)
    : readPlace(all('SELECT advice, reversal, set_aside FROM txn WHERE id = ?', id)[0]);
  const after = placeAfter(before, finding);
  const columns = [
    after.reversal === 'setAside' ? null : (after.reversal ?? null),
    after.advice ?? null,
    after.setAside ?? null,
  ];
  run('UPDATE txn SET reversal = ?, advice = ?, set_aside = ? WHERE id = ?', ...columns, id);
  noteMatter(id, finding, events, statements);
  if (countsNoLonger(before.position, finding) && isVoid(events)) moveOriginal(id, statements, changes);
  if (!countsAnew(before.position, finding)) return;
  // A settled batch stays as it was.
  if (isSettled || readableRecord(id, events)?.afterSettlement) return;
  run(sourceOf(finding) === 'operator' ? `${moveToOpenBatch} ${unlessCopied}` : moveToOpenBatch, id);
}

/** Whether a settled batch has counted the transaction by the bank's answer. */
export function isSettledAsPosted(id: TerminalTransactionId, { ids }: Pick<Statements, 'ids'>): boolean {
  const sql = `SELECT id FROM txn JOIN trace USING (acquirer_id)
               WHERE id = ? AND set_aside = 'POSTED' AND txn.batch <> trace.batch AND NOT EXISTS
                 (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id AND settling.batch = txn.batch)`;
  return ids(sql, id).length > 0;
}

function isVoid([first]: readonly StoredEvent[]): boolean {
  return first?.event.kind === 'accepted' && first.event.type.startsWith('VOID_');
}

/**
 * Lists the transaction if late evidence contradicts its reported outcome, or if it may be reversed although
 * transactions refer to it. The record decides which part of it is to be settled.
 */
function noteMatter(
  id: TerminalTransactionId,
  finding: Finding,
  events: readonly StoredEvent[],
  { all, run, schema }: Statements,
): void {
  if (schema < matterSchema || sourceOf(finding) === 'terminal') return;
  const record = readableRecord(id, events);
  if (!record) return;
  const isReferredTo = () => all('SELECT 1 FROM txn WHERE original_id = ? LIMIT 1', id).length > 0;
  if (!isContradicted(record) && (stands(record) || !isReferredTo())) return;
  run('INSERT OR IGNORE INTO matter (txn_id) VALUES (?)', id);
}

/**
 * While others refer to it, it may be listed for one of them. If cash was given for it, the reports of the cash find it
 * here.
 */
function removeMatter(id: TerminalTransactionId, { run, schema }: Statements): void {
  if (schema < matterSchema) return;
  const sql = 'DELETE FROM matter WHERE txn_id = ? AND NOT EXISTS (SELECT 1 FROM txn WHERE original_id = ?)';
  run(sql, id, id);
}

function placeOf(events: readonly StoredEvent[]): Place {
  return events.reduce((place, { event }) => {
    const finding = findingOf(event);
    return finding === undefined ? place : placeAfter(place, finding);
  }, nowhere);
}

/**
 * The place of a transaction that can't be read. The columns do not show host answers, so the operator's decision
 * counts.
 */
function readPlace(row: Record<string, unknown> = {}): Place {
  const [reversal, advice, setAside] = [row['reversal'], row['advice'], row['set_aside']];
  const views: Views = {
    ...(reversal === 'queued' || reversal === 'acknowledged' ? { reversal } : {}),
    ...(advice === 'queued' || advice === 'acknowledged' || advice === 'rejected' ? { advice } : {}),
    ...(setAside === 'POSTED' || setAside === 'NOT_POSTED' ? { setAside } : {}),
  };
  return { position: positionOf(views), ...views };
}

const moveToOpenBatch = `UPDATE txn SET batch = (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id)
   WHERE id = ?`;

/** The batch of the voided transaction may have been settled without it, so its host has it in a later one. */
function moveOriginal(id: TerminalTransactionId, { ids, run }: Statements, changes: Changes): void {
  const sql = `SELECT id FROM txn WHERE id = (SELECT original_id FROM txn WHERE id = ?) AND acquirer_id IS NOT NULL
                 AND archive IS NULL`;
  for (const original of ids(sql, id)) {
    run(moveToOpenBatch, original);
    changes.noteMoved([original]);
  }
}

/**
 * In a restored older copy, the bank's answer about a transaction refers to the batch with which it may have been
 * settled.
 */
const unlessCopied = `AND NOT EXISTS (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id
                                         AND settling.batch = txn.batch AND is_copy = 1)`;

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

type OrderLook = Extract<JournalEvent, { kind: 'orderLookedAt' }>;

function projectLook(id: TerminalTransactionId, { acquirerId, stan, isLast }: OrderLook, { run }: Statements): void {
  const sql = isLast
    ? 'DELETE FROM closed_order WHERE txn_id = ? AND acquirer_id = ? AND stan = ?'
    : 'UPDATE closed_order SET looks = looks + 1 WHERE txn_id = ? AND acquirer_id = ? AND stan = ?';
  run(sql, id, acquirerId, stan);
}
