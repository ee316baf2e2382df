import type { CardReader } from '../../base/ports/card-reader.ts';
import type { SessionParts } from '../../payment/method/order.ts';
import type { CardAcquirers } from './acquirer.ts';

/** What card payments need in addition. */
export interface CardParts extends SessionParts {
  readonly reader: CardReader;
  readonly cardAcquirers: CardAcquirers;
}
