import { spreadOf } from './blocks.ts';
import type { Turns } from './native-reader.ts';
import { median } from './percentiles.ts';
import { atMost, type Report } from './report.ts';

export const part = 'reader';
export const title = 'Reader loop: from the answer of the reader to the first byte of the next 02-40, µs';

/** Runs of one condition, of the daemon or of c/terminal.c. */
export interface Measured {
  readonly name: string;
  readonly turns: Turns[];
  /** What the loads have done in the last run. */
  done?: string;
}

/** A quarter of a frame's wire time at 115200 baud. */
const longestUs = 1_000;

/** Of several runs the median counts; the spread is that of the runs, of both sides where it is a ratio. */
export function readerReport(floors: readonly Measured[], measured: readonly Measured[]): Report {
  const pick = (figure: 'p50' | 'p999', from: readonly { readonly turns: readonly Turns[] }[]) =>
    from.flatMap(({ turns }) => turns.map((each) => each[figure]));
  const idle = measured.filter(({ name }) => name === 'idle');
  const loaded = measured.filter(({ name }) => name.startsWith('loaded'));
  const [floorP50, idleP50, idleP999, loadedP999] = [
    pick('p50', floors),
    pick('p50', idle),
    pick('p999', idle),
    pick('p999', loaded),
  ];
  // The worst condition, whatever its name.
  const slowest = Math.max(...loaded.map((each) => median(pick('p999', [each]))));
  return {
    part,
    title,
    columns: ['', 'runs', 'turns', 'p50', 'p99', 'p99.9', 'lowest', 'highest', 'max', 'over wire', 'meanwhile'],
    rows: [...floors, ...measured].map(rowOf),
    checks: [
      atMost('idle p50 / C p50', median(idleP50) / median(floorP50), 2, { spread: ratioSpread(idleP50, floorP50) }),
      atMost('idle p99.9', median(idleP999), longestUs, { unit: 'µs', spread: spreadOf(idleP999) }),
      atMost('loaded p99.9', slowest, longestUs, { unit: 'µs', spread: spreadOf(loadedP999) }),
      atMost('loaded p99.9 / idle p99.9', slowest / median(idleP999), 1.5, {
        spread: ratioSpread(loadedP999, idleP999),
      }),
    ],
    notes: [
      'lowest and highest: of the p99.9 of each run; a turn begins before the write of the answer',
      `a 02-40 at 115200 baud takes ${(measured[0]?.turns[0]?.wire ?? Number.NaN).toFixed(0)} µs: so many turns took longer`,
    ],
  };
}

function rowOf({ name, turns, done = '' }: Measured): (string | number)[] {
  const middle = (figure: 'p50' | 'p99' | 'p999') => median(turns.map((each) => each[figure]));
  const sum = (figure: 'turns' | 'overWire') => turns.reduce((all, each) => all + each[figure], 0);
  const [low, high] = spreadOf(turns.map(({ p999 }) => p999));
  const max = Math.max(...turns.map((each) => each.max));
  return [
    name,
    turns.length,
    sum('turns'),
    middle('p50'),
    middle('p99'),
    middle('p999'),
    low,
    high,
    max,
    sum('overWire'),
    done,
  ];
}

/** The least that a run could be to another, and the most. */
function ratioSpread(own: readonly number[], floor: readonly number[]): readonly [number, number] {
  const [[low, high], [floorLow, floorHigh]] = [spreadOf(own), spreadOf(floor)];
  return [low / floorHigh, high / floorLow];
}
