import type { CardReader } from '../ports/card-reader.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Screen } from '../ports/screen.ts';
import type { ReferenceRules } from '../transaction/reference.ts';
import type { AuthorizationParts } from './order.ts';
import type { ReceiptQueue } from './receipt-queue.ts';

/** What the composition root gives a terminal. */
export interface TerminalParts extends AuthorizationParts {
  readonly reader: CardReader;
  /** None on a terminal without a printer. */
  readonly receipts?: ReceiptQueue;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: ReferenceRules;
  readonly timeouts: { readonly collectMs: number; readonly reversalWaitMs: number; readonly outcomeMs: number };
}
