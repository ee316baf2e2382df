import type { Chance } from '../../../../hw-sim/chance.ts';
import type { LineFaults } from '../../../../hw-sim/lane.ts';
import type { ReaderKind } from './readers.ts';

export interface Badness {
  readonly name: string;
  readonly faults: LineFaults;
  /** What a turn of a lane takes. */
  readonly turnMs: number;
  /** Everything arrives, in order and soon: then nothing may fail. */
  readonly lossless?: true;
  /** The device loses its power, and the path does not notice: an RS-232 adapter is powered by the terminal. */
  readonly restarts?: true;
}

/** The line of a seed. Rates are per byte, or per report, of which there are some forty times fewer. */
export function badness(plan: Chance, unit: ReaderKind['unit']): Badness {
  const rate = () => Math.min(0.3, 10 ** -(1.3 + 2.2 * plan.next()) * (unit === 'report' ? 20 : 1));
  const torn = { cut: plan.next(), hold: plan.next() * 0.5, delay: plan.next() * 0.05 };
  const turnMs = [0, 1, 3][Math.floor(plan.next() * 3)] ?? 0;
  const flip = unit === 'byte' ? rate() : 0;
  const bad: Badness[] = [
    { name: 'torn', faults: torn, turnMs, lossless: true },
    { name: 'torn to single bytes', faults: { cut: 1 }, turnMs: Math.min(turnMs, 1), lossless: true },
    { name: 'noisy', faults: { ...torn, flip }, turnMs },
    { name: 'losing', faults: { ...torn, lose: rate() }, turnMs },
    { name: 'repeating', faults: { ...torn, repeat: rate() }, turnMs },
    { name: 'stalling', faults: { delay: rate() / 4, turnsMax: 8 }, turnMs: 150 },
    { name: 'late', faults: { delay: rate() / 4, turnsMax: 8 }, turnMs: 400 },
    { name: 'unplugged', faults: { ...torn, unplug: rate() }, turnMs },
    { name: 'everything', faults: { ...torn, flip, lose: rate(), repeat: rate(), unplug: rate() / 4 }, turnMs },
  ];
  if (unit === 'byte') bad.push({ name: 'restarting', faults: torn, turnMs, restarts: true });
  return bad[Math.floor(plan.next() * bad.length)] ?? { name: 'good', faults: {}, turnMs };
}
