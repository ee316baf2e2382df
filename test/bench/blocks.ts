import { median } from './percentiles.ts';
import type { Spread } from './report.ts';

/** In so many parts of a run the figure is made by itself, to tell how far it can be relied on. */
const blocksMost = 5;

/** Median to median of what was measured in turn, and the lowest and highest of the run's parts. */
export function ratioOf(own: readonly number[], floor: readonly number[]): { value: number; spread: Spread } {
  const blocks = Math.min(blocksMost, own.length, floor.length);
  const parts = Array.from({ length: blocks }, (_, block) => {
    const [part, floorPart] = [own, floor].map((values) =>
      values.slice(Math.floor((block * values.length) / blocks), Math.floor(((block + 1) * values.length) / blocks)),
    );
    return median(part ?? []) / median(floorPart ?? []);
  });
  return { value: median(own) / median(floor), spread: spreadOf(parts) };
}

export function spreadOf(figures: readonly number[]): Spread {
  return [Math.min(...figures), Math.max(...figures)];
}
