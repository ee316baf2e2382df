import { Chance } from '../e2e/chance.ts';

export type Weighted<Each> = readonly (readonly [weight: number, each: Each])[];

/** Random numbers of a schedule: the same seed gives the same numbers. */
export class Dice extends Chance {
  odds(percent: number): boolean {
    return this.below(10_000) < percent * 100;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  one<Each>(all: Weighted<Each>): Each {
    let at = this.below(all.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, each] of all) if ((at -= weight) < 0) return each;
    throw new Error('nothing to choose from');
  }
}
