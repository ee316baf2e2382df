import type { SQLInputValue } from 'node:sqlite';
import type { TerminalTransactionId } from '../domain/identifiers.ts';

/** What a table of the journal may do: each statement stands where it is used, and is prepared once. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown>[];
  /** Row by row: who has seen enough may stop. */
  readonly each: (sql: string, ...values: SQLInputValue[]) => Iterable<Record<string, unknown>>;
  readonly run: (sql: string, ...values: SQLInputValue[]) => void;
  /** The column `id` of each row. */
  readonly ids: (sql: string, ...values: SQLInputValue[]) => TerminalTransactionId[];
}
