import type { SessionParts } from '../../payment/method/order.ts';

/** Additional parts for cash payments. */
export interface CashParts extends SessionParts {
  /** Opens the cash drawer; undefined without a printer that can. */
  readonly openDrawer: (() => Promise<unknown>) | undefined;
}
