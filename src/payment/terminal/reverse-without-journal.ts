import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Acquirer } from '../method/acquirer.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal } from '../contracts/journal.ts';
import type { JournalledTransaction } from '../events/event.ts';
import { canBeReversed } from '../records/payment.ts';
import { mayBePosted, type TransactionRecord, transactionRecord } from '../records/record.ts';
import { pause, TimeLimit, withinMs } from '../../base/ports/pause.ts';
import type { Terminal } from './terminal.ts';

export interface ReversalParts {
  readonly journal: Pick<Journal, 'underway'>;
  readonly terminal: Pick<Terminal, 'close'>;
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<Acquirer, 'prepare'>>;
  readonly clock: MonotonicClock;
  readonly onThrough: (id: TransactionRecord['id']) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Longer than a host takes to answer, and shorter than the stop of the terminal may take. */
const lastMs = 30_000;
const retryMs = 1_000;

/**
 * Called when the journal's files are lost, so that the next start will not know what was sent. Reverses at once the
 * transactions that this process remembers, after the running payment has its answer: that answer is not SUCCESS,
 * because success could not be written. This is best effort: if a host does not answer in time, the payment stays in
 * its books, and the terminal does not know it.
 */
export async function reverseWithoutJournal({ journal, terminal, ...parts }: ReversalParts): Promise<void> {
  await withinMs(terminal.close(), lastMs, parts.clock);
  const limit = new TimeLimit(lastMs, parts.clock);
  await Promise.all((journal.underway ?? []).map((each) => undo(each, parts, limit).catch(parts.onFailure)));
  limit.end();
}

async function undo(
  { id, events }: JournalledTransaction,
  { acquirers, clock, onThrough }: Omit<ReversalParts, 'journal' | 'terminal'>,
  limit: TimeLimit,
): Promise<void> {
  const record = transactionRecord(id, events);
  const { intent } = record;
  if (!intent || !mayBePosted(record) || !canBeReversed(intent)) return;
  const send = acquirers.get(intent.acquirerId)?.prepare('reversal', record);
  if (!send) return;
  for (let attempt = record.reversalAttempts + 1; !limit.isOver; attempt++) {
    if ((await send(attempt)).kind === 'through') return onThrough(id);
    await pause(retryMs, clock);
  }
}
