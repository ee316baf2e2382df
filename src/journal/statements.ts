import type { SQLInputValue } from 'node:sqlite';

/** The statements of whoever has the database. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Record<string, unknown>[];
  /** Row by row: who has seen enough may stop. */
  readonly each: (sql: string, ...values: SQLInputValue[]) => Iterable<Record<string, unknown>>;
  readonly run: (sql: string, ...values: SQLInputValue[]) => void;
}
