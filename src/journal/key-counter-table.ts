import { keyCounterSchema } from './schema.ts';
import type { Statements } from './statements.ts';

/** How far keys that are used only once are reserved, by the name of their initial key. */
export class KeyCounterTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Undefined if no key was reserved, and on a schema without the table. */
  find(name: string): number | undefined {
    if (this.#statements.schema < keyCounterSchema) return undefined;
    const [row] = this.#statements.all('SELECT reserved FROM key_counter WHERE name = ?', name);
    return row && Number(row['reserved']);
  }

  /** Within a commit. A counter never goes back. */
  note(name: string, reserved: number): void {
    if (this.#statements.schema < keyCounterSchema) return;
    const sql = `INSERT INTO key_counter (name, reserved) VALUES (?, ?)
                 ON CONFLICT (name) DO UPDATE SET reserved = max(reserved, excluded.reserved)`;
    this.#statements.run(sql, name, reserved);
  }
}
