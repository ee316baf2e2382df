import { median, percentile } from '../bench/percentiles.ts';
import { spreadOf } from '../bench/blocks.ts';
import { atMost, type Report } from '../bench/report.ts';
import { type Point, slope } from './line.ts';
import type { Soaked } from './soak.ts';

/** Whether it became larger or slower, and what it keeps. */
export function soakReport(soaked: Soaked): Report {
  const { took, memory, journal, archive, days, archived, retentionDays, enquiries, restarts } = soaked;
  const sales = took.length;
  const tenth = Math.max(1, Math.floor(sales / 10));
  const [first, last] = [took.slice(0, tenth), took.slice(-tenth)];
  const rows = [['first tenth', first] as const, ['last tenth', last] as const, ['all', took] as const].map(
    ([name, values]) => [name, values.length, percentile(values, 0.5), percentile(values, 0.99)],
  );
  // What a start warms up is no growth.
  const warm = memory.filter(({ x }) => x > tenth);
  const middle = percentile(
    warm.map(({ y }) => y),
    0.5,
  );
  return {
    part: 'soak',
    title: `${sales} sales in ${days.length} days, each settled by the terminal itself; POST to answer, ms`,
    columns: ['', 'sales', 'p50', 'p99'],
    rows,
    checks: [
      atMost('p50 of the last tenth / of the first', percentile(last, 0.5) / percentile(first, 0.5), 1.1),
      atMost('p99 of the last tenth / of the first', percentile(last, 0.99) / percentile(first, 0.99), 1.1),
      atMost('rise of the resident memory over the run / its median', (slope(warm) * sales) / middle, 0.05),
      atMost('resident memory, the most after the first tenth', Math.max(...warm.map(({ y }) => y)), 200, {
        unit: 'MiB',
      }),
      atMost('enquiry of the oldest / of the newest', median(enquiries.oldest) / median(enquiries.newest), 1.5),
      atMost('restart at the end / of a new terminal in turn', median(restarts.end) / median(restarts.fresh), 1.2, {
        spread: spreadOf(restarts.end.map((each) => each / median(restarts.fresh))),
      }),
    ],
    notes: [
      `resident memory: median ${middle.toFixed(1)} MiB, slope ${(slope(warm) * 1024 * 1000).toFixed(1)} KiB for 1000 sales (least squares of ${warm.length} samples, without the first tenth)`,
      `resident memory after each tenth, MiB: ${tenths(memory).join(' ')}`,
      `enquiry, ms: oldest ${median(enquiries.oldest).toFixed(1)}, newest ${median(enquiries.newest).toFixed(1)}`,
      `restart, ms: of a new terminal ${median(restarts.fresh).toFixed(0)}, at the end ${median(restarts.end).toFixed(0)}`,
      `p50 of each tenth, ms: ${medians(took).join(' ')}`,
      ...grown(journal, archive, days, retentionDays),
      `${archived} transactions are in the archive, settled and older than ${retentionDays} days; the first sale can still be enquired of`,
    ],
  };
}

/** Bytes for each sale: while nothing is old enough for the archive, and from then on. */
function grown(
  journal: readonly Point[],
  archive: readonly Point[],
  days: readonly number[],
  retentionDays: number,
): string[] {
  const young = days.slice(0, retentionDays).reduce((sum, sales) => sum + sales, 0);
  const later = (points: readonly Point[]) => points.filter(({ x }) => x > young);
  const perSale = (points: readonly Point[]) => slope(points).toFixed(0);
  const yet = `journal: ${perSale(journal.filter(({ x }) => x <= young))} bytes for each sale, settled and printed`;
  if (later(journal).length < 2) return [yet];
  return [
    yet,
    `after ${retentionDays} days, for each sale: journal ${perSale(later(journal))} bytes, archive ${perSale(later(archive))}`,
  ];
}

function tenths(memory: readonly Point[]): string[] {
  return Array.from({ length: 10 }, (_, index) => {
    const { y = Number.NaN } = memory[Math.ceil(((index + 1) * memory.length) / 10) - 1] ?? {};
    return y.toFixed(0);
  });
}

/** Whether a rise is one, or the machine's weather. */
function medians(took: readonly number[]): string[] {
  const tenth = Math.max(1, Math.floor(took.length / 10));
  return Array.from({ length: Math.min(10, took.length) }, (_, index) =>
    percentile(took.slice(index * tenth, (index + 1) * tenth), 0.5).toFixed(1),
  );
}
