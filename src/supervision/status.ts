import type { AcquirerId } from '../domain/identifiers.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { CardReader } from '../ports/card-reader.ts';
import type { Journal } from '../ports/journal.ts';
import type { ReceiptPrinter } from '../ports/receipt-printer.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { version } from './version.ts';

export interface StatusParts {
  readonly terminal: Terminal;
  readonly reader: CardReader;
  readonly printer?: ReceiptPrinter;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly journal: Journal;
}

/** How the terminal is: the answer of GET /sp/v1/status. */
export async function statusReport({ terminal, reader, printer, hosts, journal }: StatusParts) {
  const [pending, receipts, fault] = await Promise.all([
    journal.pendingReversals(),
    journal.waitingReceipts(),
    printer?.status().then((status) => status.fault),
  ]);
  const { running, notReady } = terminal;
  return {
    responseResult: 'SUCCESS',
    responseCode: 0,
    version,
    state: running?.state ?? 'idle',
    ready: notReady === undefined,
    ...(notReady === undefined ? {} : { message: notReady }),
    ...(running ? { running: { posId: running.posId, messageId: running.messageId } } : {}),
    devices: {
      reader: { name: reader.name, state: reader.state },
      ...(printer ? { printer: { name: printer.name, state: printer.state, fault: fault ?? 'none' } } : {}),
    },
    acquirers: await Promise.all(
      [...hosts.values()].map(async ({ id, mid, tid, link }) => ({
        id,
        mid,
        tid,
        link,
        openBatch: await journal.openBatch(id),
        pendingReversals: pending.filter((each) => each.acquirerId === id).length,
      })),
    ),
    pendingReversals: pending.length,
    waitingReceipts: receipts.length,
  };
}
