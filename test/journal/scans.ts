import type { DatabaseSync } from 'node:sqlite';

/** What a statement may read as a whole, and why that stays small however long the shop sells. */
const allowed: readonly { readonly step: RegExp; readonly why: string }[] = [
  { step: /^SCAN (life|event_floor)\b/, why: 'one row' },
  { step: /^SCAN sqlite_schema\b/, why: 'a row for each table, index and view' },
  { step: /^SCAN sqlite_sequence\b/, why: 'a row for each table that counts' },
  { step: /^SCAN (trace|settled)\b/, why: 'a row for each acquirer' },
  { step: /^SCAN archive\b/, why: 'a row for each month' },
  { step: /^SCAN (settling|denied)\b/, why: 'batches whose host has not answered yet' },
  { step: /^SCAN matter\b/, why: 'what the operator has not settled with customers yet' },
  { step: /^SCAN discrepancy\b/, why: 'differences from the books of a bank, which are rare' },
  { step: /^SCAN closed_order\b/, why: 'orders since their wallet was last settled' },
  {
    step: /^SCAN .* INDEX (txn_(unfinished|pending|receipt|rejected)|settlement_(report|unfinished))\b/,
    why: 'a partial index: as large as what waits for a host, the printer or the operator',
  },
  { step: /^SCAN (family|later|link|slice|CONSTANT ROW)/, why: 'rows of the statement itself' },
];

/** Steps of a statement's plan that read a whole table or index that grows with the shop, or build an index to do so. */
export function growingScans(database: DatabaseSync, sql: string): string[] {
  const nothing = Array.from({ length: countParameters(sql) }, () => null);
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...nothing);
  return plan.map((row) => String(row['detail'])).filter((step) => isGrowing(sql, step));
}

function isGrowing(sql: string, step: string): boolean {
  if (/AUTOMATIC/.test(step)) return true;
  // What is read in the order of a key is left after the first row.
  return step.startsWith('SCAN ') && !sql.endsWith('LIMIT 1') && !allowed.some((each) => each.step.test(step));
}

/** Numbered ones may stand more than once. */
function countParameters(sql: string): number {
  return new Set((sql.match(/\?\d*/g) ?? []).map((each, index) => (each === '?' ? index : each))).size;
}
