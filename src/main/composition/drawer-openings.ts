import type { Configuration } from '../../config/configuration.ts';
import type { DrawerRecord } from '../../pos/peripherals/till-drawer.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import { DrawerBook } from '../../operator/drawer-book.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { Log } from '../../observability/log.ts';

export interface DrawerOpenings {
  readonly book: DrawerBook;
  /** Logs and keeps one step. Never rejects: a full disk keeps no drawer shut, and the log has it. */
  readonly record: (entry: DrawerRecord) => Promise<void>;
}

/** Openings of the drawer without a sale, each in the batch that takes the cash of its time. */
export function keepOpenings(
  { stateDir, cash, acquirers }: Configuration,
  { journal, clock, log }: { readonly journal: Pick<Journal, 'openBatch'>; readonly clock: Clock; readonly log: Log },
): DrawerOpenings {
  const book = new DrawerBook(stateDir, clock);
  const acquirer = acquirerId(cash ? 'CASH' : (acquirers[0]?.id ?? 'OCTOPUS'));
  return {
    book,
    async record({ state, posId, messageId, cashierId }) {
      const who = { posId, messageId, ...(cashierId === undefined ? {} : { cashierId }) };
      log.warn('drawer', { state, ...who });
      try {
        await book.write({ ...who, state, acquirer, batch: await journal.openBatch(acquirer) });
      } catch (error) {
        log.failure('drawer', error);
      }
    },
  };
}
