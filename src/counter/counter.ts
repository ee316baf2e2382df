import type { TillPaper } from './till-paper.ts';

/** What a till may do with the devices of the counter. */
export interface Counter {
  readonly paper: Pick<TillPaper, 'refusal' | 'trouble' | 'print'>;
}
