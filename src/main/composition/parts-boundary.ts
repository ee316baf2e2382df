import type { MenuPort } from '../../payment/contracts/operator-menu.ts';
import type { JournalWatcher } from '../../payment/contracts/journal.ts';
import type { Screen } from '../../payment/contracts/screen.ts';
import type { TerminalEvents } from '../../payment/contracts/terminal-events.ts';
import type { ScreenServer } from '../../screen/server.ts';
import type { PartBoundary, PartName } from '../../observability/part-boundary.ts';
import { ReceiptService, type ReceiptServiceOptions } from '../../payment/terminal/receipt-service.ts';

/** The screen as the terminal uses it. Errors of drawing are isolated; errors of input handlers are the terminal's. */
export function bindScreen(screen: Screen, boundary: PartBoundary): Screen {
  return {
    get isWatched() {
      return screen.isWatched;
    },
    show: (view) => boundary.notify('screen', () => screen.show(view)),
    onAction: (listener) => screen.onAction((action) => boundary.outside(() => listener(action))),
  };
}

/**
 * The operator's menu as the screen uses it. Errors of drawing are isolated; its calls are not, because they may move
 * money.
 */
function bindMenu(menu: MenuPort, boundary: PartBoundary): MenuPort {
  return {
    get view() {
      return menu.view;
    },
    look: () => boundary.outside(() => menu.look()),
    onChange: (listener) => menu.onChange(() => boundary.notify('screen', listener)),
    handle: (body) => boundary.outside(() => menu.handle(body)),
  };
}

/** The screen's page as the operator's menu and the status are given to it. */
export function bindPage(
  page: Pick<ScreenServer, 'equip' | 'serveStatus'>,
  boundary: PartBoundary,
): Pick<ScreenServer, 'equip' | 'serveStatus'> {
  return {
    equip: (menu) => page.equip(bindMenu(menu, boundary)),
    serveStatus: (report) => page.serveStatus(() => boundary.outside(report)),
  };
}

/** The listeners to the terminal's events. */
export function bindEvents(part: PartName, events: TerminalEvents, boundary: PartBoundary): TerminalEvents {
  return { emit: (event) => boundary.notify(part, () => events.emit(event)) };
}

/** The listeners to the journal's commits. */
export function bindSubscriber(
  part: PartName,
  subscriber: JournalWatcher & TerminalEvents,
  boundary: PartBoundary,
): JournalWatcher & TerminalEvents {
  return {
    ...bindEvents(part, subscriber, boundary),
    wrote: (id, events) => boundary.notify(part, () => subscriber.wrote(id, events)),
    settled: (id, results) => boundary.notify(part, () => subscriber.settled(id, results)),
  };
}

/** The queue of receipts: its callers continue, even if printing fails. */
export class BoundReceipts extends ReceiptService {
  readonly #boundary: PartBoundary;

  constructor(options: ReceiptServiceOptions, boundary: PartBoundary) {
    super(options);
    this.#boundary = boundary;
  }

  override wake(): void {
    this.#boundary.notify('print', () => super.wake());
  }
}
