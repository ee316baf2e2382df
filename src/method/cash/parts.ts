import type { SessionParts } from '../order.ts';

/** What cash needs beside. */
export interface CashParts extends SessionParts {
  /** Opens the till, where a printer can. */
  readonly openDrawer: (() => Promise<unknown>) | undefined;
}
