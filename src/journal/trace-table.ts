import type { AcquirerId } from '../domain/identifiers.ts';
import type { TraceNumbers } from '../domain/trace-numbers.ts';
import type { Random } from '../ports/clock.ts';
import { batchesMax, dayOfNumbers, firstNumbers, numberMax } from './numbers.ts';
import type { Statements } from './statements.ts';

/**
 * The `batch` columns count on where the numbers begin again, so that batch 1 of the second round is another one than that of the
 * first. This is the number of such a count.
 */
const batchNumber = (count: unknown) => ((Number(count) - 1) % numberMax) + 1;

/** Where no draw is free, numbers stay where they are: they were given out all over of late. */
const drawsMax = 100;
/** Those of some ten thousand transactions: no host compares with what is older. */
const recentEvents = 100_000;

/** The last numbers that each acquirer was given, and its open batch. Whatever writes is called within a commit. */
export class TraceTable {
  readonly #statements: Statements;
  readonly #random: Random;
  /** Where acquirers that have had nothing will begin. */
  readonly #drawn = new Map<AcquirerId, TraceNumbers>();
  /** Acquirers whose numbers have moved on since this opening. */
  readonly #moved = new Set<AcquirerId>();

  constructor(statements: Statements, random: Random) {
    this.#statements = statements;
    this.#random = random;
  }

  /** All that ever had a transaction. */
  acquirers(): AcquirerId[] {
    const rows = this.#statements.all('SELECT acquirer_id FROM trace ORDER BY acquirer_id');
    return rows.map((row) => String(row['acquirer_id']) as AcquirerId);
  }

  openBatch(acquirerId: AcquirerId): number {
    return batchNumber(this.openCount(acquirerId));
  }

  /** What the `batch` columns have for the open batch. */
  openCount(acquirerId: AcquirerId): number {
    const [row] = this.#statements.all('SELECT batch FROM trace WHERE acquirer_id = ?', acquirerId);
    return row ? Number(row['batch']) : this.#first(acquirerId).batch;
  }

  /** What they have for the last batch of that number: those that come are none yet. */
  lastCount(acquirerId: AcquirerId, batch: number): number {
    const open = this.openCount(acquirerId);
    return open - ((batchNumber(open) - batch + numberMax) % numberMax);
  }

  /** `invoice`: that of the original, where it is carried on. */
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

  /** The first of `count` trace audit numbers in a row. */
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
   * Sees to it that the acquirer has its row of numbers. With the first that are given out after an opening they go on elsewhere: the whole
   * directory may have been put back as it was, its marker with it, and nothing here can tell.
   */
  ensureRow(acquirerId: AcquirerId): AcquirerId {
    const { all, run } = this.#statements;
    if (all('SELECT 1 FROM trace WHERE acquirer_id = ?', acquirerId).length === 0) {
      const { stan, invoice, batch } = this.#first(acquirerId);
      // The one before the first that is given out.
      run('INSERT INTO trace VALUES (?, ?, ?, ?)', acquirerId, stan - 1, invoice - 1, batch);
    } else if (!this.#moved.has(acquirerId)) this.moveNumbers(acquirerId);
    this.#moved.add(acquirerId);
    return acquirerId;
  }

  /** The numbers of an acquirer go on elsewhere: by chance, and where this journal has given out none of late. Its batch stays. */
  moveNumbers(acquirerId: AcquirerId): void {
    for (let draws = 0; draws < drawsMax; draws++) {
      const { stan, invoice } = firstNumbers(this.#random);
      if (this.#wasGiven(acquirerId, stan)) continue;
      const sql = 'UPDATE trace SET stan = ?, invoice = ? WHERE acquirer_id = ?';
      return this.#statements.run(sql, stan - 1, invoice - 1, acquirerId);
    }
  }

  /** The batches of an acquirer go on elsewhere, and the open one has nothing in it. */
  moveBatch(acquirerId: AcquirerId): void {
    const { batch } = firstNumbers(this.#random);
    const sql = 'UPDATE trace SET batch = batch + ? WHERE acquirer_id = ?';
    this.#statements.run(sql, (batch % batchesMax) + 1, acquirerId);
  }

  /** A commit came to nothing. What moved in it has not: it moves with the next. */
  rollBack(): void {
    this.#moved.clear();
  }

  /** Written with the acquirer's first intent. */
  #first(acquirerId: AcquirerId): TraceNumbers {
    const drawn = this.#drawn.get(acquirerId) ?? firstNumbers(this.#random);
    this.#drawn.set(acquirerId, drawn);
    return drawn;
  }

  /** Whether one of the numbers from there on belongs to a recent transaction. */
  #wasGiven(acquirerId: AcquirerId, stan: number): boolean {
    const sql = `SELECT 1 FROM txn WHERE acquirer_id = ? AND stan >= ? AND stan < ?
                 AND opened > (SELECT seq FROM sqlite_sequence WHERE name = 'event') - ? LIMIT 1`;
    return this.#statements.all(sql, acquirerId, stan, stan + dayOfNumbers, recentEvents).length > 0;
  }
}
