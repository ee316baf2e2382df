/** Opens the journal named by its argument, tells what came of it, and keeps it until it is killed. */
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';

try {
  await openJournal(process.argv[2] ?? '');
  process.send?.('open');
} catch (error) {
  process.send?.(error instanceof JournalError ? error.code : String(error));
  process.disconnect();
}
