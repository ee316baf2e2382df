import { availableParallelism, loadavg, release } from 'node:os';
import * as z from 'zod';
import type { Report } from './report.ts';

const figure = z.number().describe('of a figure that could not be measured there is no goal');

const goal = z.strictObject({
  part: z.string(),
  name: z.string().describe('what was measured; a / b is a ratio'),
  target: figure,
  bound: z.enum(['at most', 'at least']),
  measured: figure,
  spread: z
    .strictObject({ low: figure, high: figure })
    .describe('lowest and highest of the figures whose middle was measured; the same where there is only one'),
  met: z.boolean(),
  unit: z.string().describe('× for a ratio'),
});

/** What `npm run bench -- --json` prints, and `npm run soak -- --json`. */
export const benchDocument = z.strictObject({
  format: z.literal(1),
  machine: z.strictObject({
    node: z.string(),
    kernel: z.string(),
    processors: z.int(),
    load: z.strictObject({ before: figure, after: figure }).describe('of one minute, of all that runs there'),
  }),
  goals: z.array(goal),
  notMeasured: z.array(z.strictObject({ part: z.string(), why: z.string() })),
  parts: z.array(
    z.strictObject({
      part: z.string(),
      title: z.string(),
      columns: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number()]))),
      notes: z.array(z.string()),
    }),
  ),
});

export type BenchDocument = z.infer<typeof benchDocument>;

/** Of the last minute. */
export function measureLoad(): number {
  return loadavg()[0] ?? 0;
}

/** Throws where a figure is none: a bench that divides by nothing must not pass for one that has measured. */
export function documentOf(reports: readonly Report[], loadBefore: number): BenchDocument {
  return benchDocument.parse({
    format: 1,
    machine: {
      node: process.version,
      kernel: release(),
      processors: availableParallelism(),
      load: { before: loadBefore, after: measureLoad() },
    },
    goals: reports.flatMap(({ part, checks }) =>
      checks.map(({ what, target, bound, value, spread: [low, high], verdict, unit }) => ({
        part,
        name: what,
        target,
        bound,
        measured: value,
        spread: { low, high },
        met: verdict === 'PASS',
        unit,
      })),
    ),
    notMeasured: reports
      .filter(({ rows }) => rows.length === 0)
      .map(({ part, notes }) => ({ part, why: notes.join('; ') })),
    parts: reports.map(({ part, title, columns, rows, notes }) => ({ part, title, columns, rows, notes })),
  });
}
