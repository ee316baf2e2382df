import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import { hasCardNumber, withoutCardNumber } from '../payment/events/card-number.ts';
import type { Families } from './families.ts';
import type { Statements } from './statements.ts';

/** Rows of one slice of the search. */
const rowsMax = 500;

/** A slice of the search. */
export interface FoundNumbers {
  /** Numbers of the events with a card number. */
  readonly events: readonly number[];
  /** The search continues after this event. */
  readonly last: number;
  readonly isEnd: boolean;
}

/**
 * The encrypted card numbers in the journal. They are needed for the messages about a payment: its reversal, advice,
 * void, completion, tip and upload. Once no such message is possible, they are overwritten in place.
 */
export class CardNumbers {
  readonly #statements: Statements;
  readonly #families: Families;

  constructor(statements: Statements, families: Families) {
    this.#statements = statements;
    this.#families = families;
  }

  /** Looks for card numbers in the events after the given one. */
  find(after: number): FoundNumbers {
    const sql = `SELECT seq, CASE WHEN instr(body, '"encryptedPan"') > 0 THEN body END AS body
                 FROM every_event WHERE seq > ? ORDER BY seq LIMIT ${rowsMax}`;
    const rows = this.#statements.all(sql, after);
    const events = rows.filter(({ body }) => typeof body === 'string' && hasCardNumber(body));
    return {
      events: events.map(({ seq }) => Number(seq)),
      last: Number(rows.at(-1)?.['seq'] ?? after),
      isEnd: rows.length < rowsMax,
    };
  }

  /**
   * Within a commit: overwrites the card numbers of these events where none was needed since before `before`. Returns
   * those that are still needed.
   */
  erase(events: readonly number[], before: Date): number[] {
    const needed = new Map<TerminalTransactionId, boolean>();
    const isNeeded = (id: TerminalTransactionId) => {
      const known = needed.get(id);
      if (known !== undefined) return known;
      const family = this.#families.of(id);
      const answer = !this.#families.needsNoCard(family, before);
      for (const each of family) needed.set(each.id, answer);
      return answer;
    };
    return events.filter((seq) => {
      const [row] = this.#statements.all('SELECT txn_id, body FROM every_event WHERE seq = ?', seq);
      // It is in the archive meanwhile, which has no card numbers.
      if (!row) return false;
      if (isNeeded(String(row['txn_id']) as TerminalTransactionId)) return true;
      this.#overwrite(seq, String(row['body']));
      return false;
    });
  }

  /**
   * A text of the same length replaces the bytes where they are: SQLite moves nothing and leaves no copy behind. JSON
   * may end with spaces.
   */
  #overwrite(seq: number, body: string): void {
    const bare = withoutCardNumber(body).padEnd(body.length);
    for (const table of ['event', 'older_event'])
      this.#statements.run(`UPDATE ${table} SET body = ? WHERE seq = ?`, bare, seq);
  }
}
