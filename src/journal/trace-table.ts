import type { AcquirerId, InitialNumbers, TraceNumbers } from '../base/domain/identifiers.ts';
import type { Random } from '../base/ports/clock.ts';
import { keyCounterSchema } from './schema.ts';
import type { Statements } from './statements.ts';

/** Trace, invoice and batch numbers are n6: 1 follows 999999 (ISO 8583 fields 11, 60, 62). */
const numberMax = 999_999;

/**
 * The maximum jump of batch numbers, so that a batch still to be settled is not taken for a later one of the same
 * number.
 */
const batchesMax = 400_000;

/**
 * The first numbers of a new journal, at random. A lost journal has used numbers that its host still knows, and this
 * machine's clock may be wrong, so neither may decide.
 */
function firstNumbers(random: Random): TraceNumbers {
  const bytes = Buffer.from(random.bytes(18));
  const number = (at: number) => (bytes.readUIntBE(at, 6) % numberMax) + 1;
  return { stan: number(0), invoice: number(6), batch: number(12) };
}

/** More numbers than a terminal assigns in a day, and a small part of all. */
const dayOfNumbers = 5_000;

/**
 * The `batch` columns hold a count that does not wrap, so that batch 1 of the second round differs from batch 1 of the
 * first. This is the batch number for such a count.
 */
export const batchNumber = (count: unknown) => ((Number(count) - 1) % numberMax) + 1;

/** Of a row's column `batch`, which a transaction without an acquirer has not. */
export function batchOf(count: unknown): { readonly batch?: number } {
  return typeof count === 'number' ? { batch: batchNumber(count) } : {};
}

/** If this many draws hit recent numbers, the numbers stay unchanged, because recent ones are then everywhere. */
const drawsMax = 100;
/** Events of some ten thousand transactions. No host checks for duplicates further back. */
const recentEvents = 100_000;

/**
 * The last numbers of each acquirer, its open batch, and the reserved counters of DUKPT keys. Methods that write are
 * called within a commit.
 */
export class TraceTable {
  readonly #statements: Statements;
  readonly #random: Random;
  /** The first numbers of acquirers without a row. */
  readonly #drawn = new Map<AcquirerId, TraceNumbers>();
  /** Acquirers whose numbers have been moved since this opening. */
  readonly #moved = new Set<AcquirerId>();

  constructor(statements: Statements, random: Random) {
    this.#statements = statements;
    this.#random = random;
  }

  /** All acquirers that ever had a transaction. */
  acquirers(): AcquirerId[] {
    const rows = this.#statements.all('SELECT acquirer_id FROM trace ORDER BY acquirer_id');
    return rows.map((row) => String(row['acquirer_id']) as AcquirerId);
  }

  openBatch(acquirerId: AcquirerId): number {
    return batchNumber(this.openCount(acquirerId));
  }

  /** Sets the first numbers of an acquirer. False: it already has numbers, and the new ones may have been used. */
  begin(acquirerId: AcquirerId, numbers: InitialNumbers): boolean {
    if (this.#statements.all('SELECT 1 FROM trace WHERE acquirer_id = ?', acquirerId).length > 0) return false;
    this.#drawn.set(acquirerId, { ...this.#first(acquirerId), ...numbers });
    return true;
  }

  /** The open batch as the `batch` columns count it. */
  openCount(acquirerId: AcquirerId): number {
    const [row] = this.#statements.all('SELECT batch FROM trace WHERE acquirer_id = ?', acquirerId);
    return row ? Number(row['batch']) : this.#first(acquirerId).batch;
  }

  /** The count of the last batch with this number, never one in the future. */
  lastCount(acquirerId: AcquirerId, batch: number): number {
    const open = this.openCount(acquirerId);
    return open - ((batchNumber(open) - batch + numberMax) % numberMax);
  }

  /** `invoice`: the original's invoice number, if it is kept. */
  nextNumbers(acquirerId: AcquirerId, invoice: number | undefined): TraceNumbers {
    const [row] = this.#statements.all(
      `UPDATE trace SET stan = stan % ? + 1, invoice = CASE WHEN ? THEN invoice ELSE invoice % ? + 1 END
       WHERE acquirer_id = ? RETURNING stan, invoice, batch`,
      numberMax,
      invoice === undefined ? 0 : 1,
      numberMax,
      this.ensureRow(acquirerId),
    );
    const [stan, batch] = [Number(row?.['stan']), batchNumber(row?.['batch'])];
    return { stan, invoice: invoice ?? Number(row?.['invoice']), batch };
  }

  /** Allocates `count` consecutive trace numbers; returns the first. */
  nextStans(acquirerId: AcquirerId, count: number): number {
    const [row] = this.#statements.all(
      'UPDATE trace SET stan = (stan + ? - 1) % ? + 1 WHERE acquirer_id = ? RETURNING stan',
      count,
      numberMax,
      this.ensureRow(acquirerId),
    );
    return ((Number(row?.['stan']) - count + numberMax * 2) % numberMax) + 1;
  }

  /**
   * Creates the acquirer's row of numbers if it is missing. With the first numbers after an opening they also jump: the
   * whole directory may have been restored together with its marker, and nothing here can detect that.
   */
  ensureRow(acquirerId: AcquirerId): AcquirerId {
    const { all, run } = this.#statements;
    if (all('SELECT 1 FROM trace WHERE acquirer_id = ?', acquirerId).length === 0) {
      const { stan, invoice, batch } = this.#first(acquirerId);
      // The row holds the last numbers used, so these are one lower.
      run('INSERT INTO trace VALUES (?, ?, ?, ?)', acquirerId, stan - 1, invoice - 1, batch);
    } else if (!this.#moved.has(acquirerId)) this.moveNumbers(acquirerId);
    this.#moved.add(acquirerId);
    return acquirerId;
  }

  /** Jumps to random numbers that this journal has not used recently. The batch stays. */
  moveNumbers(acquirerId: AcquirerId): void {
    for (let draws = 0; draws < drawsMax; draws++) {
      const { stan, invoice } = firstNumbers(this.#random);
      if (this.#wasGiven(acquirerId, stan)) continue;
      const sql = 'UPDATE trace SET stan = ?, invoice = ? WHERE acquirer_id = ?';
      return this.#statements.run(sql, stan - 1, invoice - 1, acquirerId);
    }
  }

  /** Jumps to another batch number; the open batch is then empty. */
  moveBatch(acquirerId: AcquirerId): void {
    const { batch } = firstNumbers(this.#random);
    const sql = 'UPDATE trace SET batch = batch + ? WHERE acquirer_id = ?';
    this.#statements.run(sql, (batch % batchesMax) + 1, acquirerId);
  }

  /** `name`: of the initial key. Undefined if no key was reserved, or if the schema does not have the table. */
  reservedKeys(name: string): number | undefined {
    if (this.#statements.schema < keyCounterSchema) return undefined;
    const [row] = this.#statements.all('SELECT reserved FROM key_counter WHERE name = ?', name);
    return row && Number(row['reserved']);
  }

  /** The counter never decreases. */
  noteKeys(name: string, reserved: number): void {
    if (this.#statements.schema < keyCounterSchema) return;
    const sql = `INSERT INTO key_counter (name, reserved) VALUES (?, ?)
                 ON CONFLICT (name) DO UPDATE SET reserved = max(reserved, excluded.reserved)`;
    this.#statements.run(sql, name, reserved);
  }

  /** A commit failed, and with it the jump of numbers: the next commit repeats it. */
  rollBack(): void {
    this.#moved.clear();
  }

  /** Stored with the acquirer's first intent. */
  #first(acquirerId: AcquirerId): TraceNumbers {
    const drawn = this.#drawn.get(acquirerId) ?? firstNumbers(this.#random);
    this.#drawn.set(acquirerId, drawn);
    return drawn;
  }

  /** Whether one of the next numbers from `stan` on belongs to a recent transaction. */
  #wasGiven(acquirerId: AcquirerId, stan: number): boolean {
    const sql = 'SELECT 1 FROM txn WHERE acquirer_id = ? AND stan >= ? AND stan < ? AND opened > ? LIMIT 1';
    const before = lastSequence(this.#statements) - recentEvents;
    return this.#statements.all(sql, acquirerId, stan, stan + dayOfNumbers, before).length > 0;
  }
}

/**
 * The number of the last event that was written; 0 in a new journal. It only grows: event_floor has it where the last
 * events are no longer in their table.
 */
export function lastSequence(statements: Statements): number {
  const sql = `SELECT max(coalesce((SELECT max(seq) FROM event), 0), coalesce((SELECT seq FROM event_floor), 0)) AS seq`;
  return Number(statements.all(sql)[0]?.['seq']);
}
