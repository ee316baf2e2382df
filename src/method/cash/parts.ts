import type { SessionParts } from '../order.ts';

/** What cash payments need in addition. */
export interface CashParts extends SessionParts {
  /** Opens the cash drawer; undefined without a printer that can. */
  readonly openDrawer: (() => Promise<unknown>) | undefined;
}
