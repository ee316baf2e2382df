import type { SQLInputValue } from 'node:sqlite';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';

/** Access of a table to SQLite. Each statement is prepared once. */
export interface Statements {
  /** The schema of the journal: the current one, or an earlier one that this code also works with. */
  readonly schema: number;
  readonly all: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown>[];
  /** Row by row, so that the caller may stop early. */
  readonly each: (sql: string, ...values: SQLInputValue[]) => Iterable<Record<string, unknown>>;
  readonly run: (sql: string, ...values: SQLInputValue[]) => void;
  /** The column `id` of each row. */
  readonly ids: (sql: string, ...values: SQLInputValue[]) => TerminalTransactionId[];
}
