import type { Configuration } from '../../config/configuration.ts';
import type { Counter } from '../../pos/peripherals/counter.ts';
import { IdleDisplay } from '../../pos/peripherals/idle-display.ts';
import { PrintQueue, type PrintQueueParts } from '../../pos/peripherals/print-queue.ts';
import { type DrawerRecord, TillDrawer } from '../../pos/peripherals/till-drawer.ts';
import { TillPaper } from '../../pos/peripherals/till-paper.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import { DrawerBook } from '../../operator/drawer-book.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { Screen } from '../../payment/contracts/screen.ts';
import type { Log } from '../../observability/log.ts';
import { merchantHeaders } from './merchants.ts';
import type { OpenParts } from './open-parts.ts';
import { lazyTimeZone } from '../../observability/time-zone.ts';

interface CounterParts {
  readonly printer?: ReceiptPrinter;
  /** Absent on a terminal without a printer. */
  readonly receipts: PrintQueueParts['receipts'] | undefined;
  readonly screen: Screen;
  readonly journal: Pick<Journal, 'openBatch'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Printer, drawer and idle screen as tills use them. */
export function openTillCounter(
  configuration: Configuration,
  { printer, receipts, screen, journal, clock, log }: CounterParts,
  opened: OpenParts,
): Counter & { readonly display: IdleDisplay; readonly openings: DrawerOpenings } {
  const { counter, shop, merchants, receipt, printer: settings } = configuration;
  const onFailure = (error: unknown) => log.failure('print', error);
  const zone = lazyTimeZone();
  const queue =
    printer &&
    receipts &&
    opened.add(new PrintQueue({ printer, receipts, clock, keptMs: counter.printKeptMs, onFailure }));
  const openings = keepOpenings(configuration, { journal, clock, log });
  const { display: isAllowed, displayMs: shownMs, cardNumbers } = counter;
  return {
    openings,
    display: opened.add(new IdleDisplay(screen, clock, { isAllowed, shownMs, cardNumbers })),
    drawer: new TillDrawer({ isAllowed: counter.drawer, printer, record: openings.record }),
    paper: new TillPaper({
      isAllowed: counter.print,
      printer,
      queue,
      columns: settings?.columns ?? 48,
      language: receipt.language,
      get timeZone() {
        return zone.timeZone;
      },
      logo: shop.logo,
      shopName: shop.name,
      merchants: merchantHeaders({ merchants }),
      cardNumbers: counter.cardNumbers,
      now: () => clock.now(),
      onFailure,
    }),
  };
}

export interface DrawerOpenings {
  readonly book: DrawerBook;
  /** Logs and stores one step. Never rejects: with a full disk the drawer still opens, and the log has the step. */
  readonly record: (entry: DrawerRecord) => Promise<void>;
}

/** Openings of the drawer without a sale, each in the batch that takes the cash of its time. */
function keepOpenings(
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
