import type { IdleDisplay } from './idle-display.ts';
import type { TillDrawer } from './till-drawer.ts';
import type { TillPaper } from './till-paper.ts';

/** The permissions of a till for the devices of the counter. */
export interface Counter {
  readonly paper: Pick<TillPaper, 'absence' | 'refusal' | 'currentRefusal' | 'print' | 'printReport'>;
  readonly drawer: Pick<TillDrawer, 'currentRefusal' | 'fault' | 'open'>;
  readonly display: Pick<IdleDisplay, 'refusal' | 'currentRefusal' | 'display' | 'clear'>;
}
