import type { AcquirerId } from '../domain/identifiers.ts';
import type { AcquirerHost } from '../ports/acquirer-host.ts';
import type { SteadyClock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { JournalledTransaction } from '../events/event.ts';
import { canBeReversed } from '../records/payment.ts';
import { mayBePosted, type TransactionRecord, transactionRecord } from '../records/record.ts';
import type { Undoing } from './forwarder.ts';
import { reversalOrder } from '../method/card/message.ts';
import { pause, TimeLimit, withinMs } from '../ports/pause.ts';
import type { Terminal } from './terminal.ts';

export interface LastResortParts {
  readonly journal: Pick<Journal, 'underway'>;
  readonly terminal: Pick<Terminal, 'close'>;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly undoing: ReadonlyMap<AcquirerId, Undoing>;
  readonly clock: SteadyClock;
  readonly onThrough: (id: TransactionRecord['id']) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Longer than a host takes to answer, shorter than anybody waits for a terminal that is stopping. */
const lastMs = 30_000;
const retryMs = 1_000;

/**
 * The journal's files are gone, and the next start will know of nothing that was sent. What this process remembers is taken back at once,
 * after the payment that runs has its answer: its POS was not told SUCCESS, because that could not be written. Best effort: a host that does
 * not answer in time has it in its books, and nobody here will know.
 */
export async function takenBack({ journal, terminal, ...parts }: LastResortParts): Promise<void> {
  await withinMs(terminal.close(), lastMs, parts.clock);
  const limit = new TimeLimit(lastMs, parts.clock);
  await Promise.all((journal.underway ?? []).map((each) => undone(each, parts, limit).catch(parts.onFailure)));
  limit.end();
}

async function undone(
  { id, events }: JournalledTransaction,
  { hosts, undoing, clock, onThrough }: Omit<LastResortParts, 'journal' | 'terminal'>,
  limit: TimeLimit,
): Promise<void> {
  const record = transactionRecord(id, events);
  const { intent } = record;
  if (!intent || !mayBePosted(record) || !canBeReversed(intent)) return;
  const [host, undo] = [hosts.get(intent.acquirerId), undoing.get(intent.acquirerId)];
  for (let attempt = record.reversalAttempts + 1; !limit.isOver; attempt++) {
    // "No record" may only mean that the request is still on its way.
    const isThrough = undo
      ? (await undo(record)) !== undefined
      : (await host?.reverse(reversalOrder(record), attempt > 1))?.kind === 'acknowledged';
    if (isThrough) return onThrough(id);
    await pause(retryMs, clock);
  }
}
