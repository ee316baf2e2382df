/**
 * Writes payments into the journal named by its first argument, from the ordinal in its second on, several at a time,
 * and tells of every commit once it is acknowledged. Goes on until it is killed, or until a commit fails: then it tells
 * of that, and which events the journal shows it.
 */
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import type { Acknowledged } from './committed.ts';
import { accepted, draft, numbered } from './events.ts';

const end: readonly JournalEvent[] = [
  { kind: 'answered', outcome: { kind: 'unknown', reason: 'no-answer' } },
  { kind: 'reversalQueued', reason: 'no-answer' },
  { kind: 'ended', outcome: 'error', result: 'ERROR', code: 2, message: 'the outcome is unknown, it is reversed' },
];

const journal = await openJournal(process.argv[2] ?? '');
const first = Number(process.argv[3]);

async function payment(ordinal: number): Promise<void> {
  const id = numbered(ordinal);
  await journal.open(id, accepted(`M-${ordinal}`));
  acknowledge({ ordinal, events: 1 });
  const { stan } = await journal.intend(id, draft());
  acknowledge({ ordinal, events: 2, stan });
  await journal.append(id, end);
  acknowledge({ ordinal, events: 2 + end.length });
}

function acknowledge(acknowledged: Acknowledged): void {
  // After the first commit that fails the others of its moment are not told of either way.
  if (process.connected) process.send?.(acknowledged);
}

try {
  for (let ordinal = first; ; ordinal += 4) {
    await Promise.all([0, 1, 2, 3].map((offset) => payment(ordinal + offset)));
  }
} catch (error) {
  process.send?.({ failed: error instanceof JournalError ? error.code : String(error) });
  process.disconnect();
}
