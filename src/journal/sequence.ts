import type { Statements } from './statements.ts';

/**
 * The number of the last event that was written; 0 in a new journal. It only grows: event_floor has it where the last
 * events are no longer in their table.
 */
export function lastSequence(statements: Statements): number {
  const sql = `SELECT max(coalesce((SELECT max(seq) FROM event), 0), coalesce((SELECT seq FROM event_floor), 0)) AS seq`;
  return Number(statements.all(sql)[0]?.['seq']);
}
