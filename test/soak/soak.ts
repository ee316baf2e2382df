import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { percentile } from '../bench/percentiles.ts';
import { atMost, type Report } from '../bench/report.ts';
import { type Json, Stage } from '../e2e/stage.ts';
import { type Point, slope } from './line.ts';

export interface SoakOptions {
  readonly sales: number;
  /** Sales of a day: then all batches are settled. */
  readonly daySales: number;
  readonly program: string;
  readonly onDay?: (sales: number) => void;
}

const samplesOfRun = 200;

/**
 * A terminal that works for years: sale after sale with its customer played by the simulator, settled after each day. Throws
 * AssertionError where a sale fails, or a day's totals differ from what was sold.
 */
export async function soaked({ sales, daySales, program, onDay }: SoakOptions): Promise<Report> {
  const stage = await Stage.open({ flags: ['--auto'], program, configuration: { logLevel: 'warn' } });
  try {
    const sell = async (): Promise<number> => {
      const from = performance.now();
      const { body } = await stage.payment(stage.saleRequest({ preferredEntryMode: 'CARD' }));
      const tookMs = performance.now() - from;
      assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
      return tookMs;
    };
    const took: number[] = [];
    const memory: Point[] = [];
    const sampleSales = Math.max(1, Math.floor(sales / samplesOfRun));
    const bytes: Point[] = [{ x: 0, y: journalBytes(stage) }];
    let unsettled = 0;
    let days = 0;
    for (let sold = 1; sold <= sales; sold++) {
      took.push(await sell());
      unsettled++;
      if (sold % sampleSales === 0) memory.push({ x: sold, y: residentKiB(stage.daemonPid) });
      if (unsettled < daySales && sold < sales) continue;
      await settled(stage, unsettled);
      unsettled = 0;
      days++;
      bytes.push({ x: sold, y: journalBytes(stage) });
      onDay?.(sold);
    }
    assert.equal((await stage.posted('EDC')).length, sales, 'the host has other sales than were told');
    return report({ took, memory, bytes, days });
  } finally {
    await stage.close();
  }
}

/** The day is over: all that was sold on it is settled, and with the host's totals. */
async function settled(stage: Stage, sales: number): Promise<void> {
  const { body } = await stage.settle();
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  const { result, totals } = body.settlements.find(({ acquirer }: Json) => acquirer === 'EDC');
  assert.equal(result, 'BALANCED');
  assert.deepEqual(
    totals.map(({ transactionType, count }: Json) => [transactionType, count]),
    [['SALE', sales]],
  );
}

interface Run {
  readonly took: readonly number[];
  /** KiB after so many sales. */
  readonly memory: readonly Point[];
  /** Of the journal, after so many sales. */
  readonly bytes: readonly Point[];
  readonly days: number;
}

function report({ took, memory, bytes, days }: Run): Report {
  const tenth = Math.max(1, Math.floor(took.length / 10));
  const [first, last] = [took.slice(0, tenth), took.slice(-tenth)];
  // What a start warms up is no growth.
  const warm = memory.filter(({ x }) => x > tenth);
  const perSale = slope(warm);
  const middle = percentile(
    warm.map(({ y }) => y),
    0.5,
  );
  const rows = [['first tenth', first] as const, ['last tenth', last] as const, ['all', took] as const].map(
    ([name, values]) => [name, values.length, percentile(values, 0.5), percentile(values, 0.99)],
  );
  return {
    part: 'soak',
    title: `${took.length} sales, settled ${days} times; POST to answer, ms`,
    columns: ['', 'sales', 'p50', 'p99'],
    rows,
    checks: [
      atMost('p50 of the last tenth / of the first', percentile(last, 0.5) / percentile(first, 0.5), 1.2),
      atMost('p99 of the last tenth / of the first', percentile(last, 0.99) / percentile(first, 0.99), 1.2),
      atMost('rise of the resident memory over the run / its median', (perSale * took.length) / middle, 0.05),
    ],
    notes: [
      `resident memory: median ${(middle / 1024).toFixed(1)} MiB, slope ${(perSale * 1000).toFixed(1)} KiB for 1000 sales (least squares of ${warm.length} samples, without the first tenth)`,
      `resident memory after each tenth, MiB: ${tenths(memory).join(' ')}`,
      `journal: ${slope(bytes).toFixed(0)} bytes for each sale, settled and printed`,
    ],
  };
}

function tenths(memory: readonly Point[]): string[] {
  return Array.from({ length: 10 }, (_, index) => {
    const { y = Number.NaN } = memory[Math.ceil(((index + 1) * memory.length) / 10) - 1] ?? {};
    return (y / 1024).toFixed(0);
  });
}

function journalBytes(stage: Stage): number {
  return ['journal.db', 'journal.db-wal']
    .map((name) => path.join(stage.stateDir, name))
    .reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

/** VmRSS of proc(5). */
function residentKiB(pid: number): number {
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kiB === undefined ? assert.fail('the kernel does not tell the resident memory') : Number(kiB);
}
