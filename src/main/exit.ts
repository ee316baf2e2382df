import { CommissioningError, UnsettledError } from '../admin/commissioning-error.ts';
import { StartError } from './composition/start-error.ts';
import { ConfigurationError } from '../config/json-file.ts';
import { scrub } from '../base/domain/masking.ts';
import { plainLines } from '../base/domain/plain-text.ts';
import { KeyError } from './key-commands.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import { isJournalStream, journalPrefix } from '../observability/journal-prefix.ts';
import { UsageError } from '../base/usage-error.ts';

/**
 * Prints why a command can't run, and ends the process. Exit codes: 1 it can't run, 2 wrong usage, 3 unsettled money
 * forbids it.
 */
export function exitWith(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const called = error instanceof UsageError;
  const known =
    called ||
    error instanceof CommissioningError ||
    error instanceof KeyError ||
    error instanceof StartError ||
    error instanceof ConfigurationError ||
    error instanceof JournalError;
  // Each line of a stack has a priority of its own.
  const prefix = isJournalStream(2) ? journalPrefix(50) : '';
  // It may contain text of another machine.
  const shown = plainLines(known ? error.message : (error.stack ?? error.message));
  const said = `poid: ${scrub(shown)}`;
  console.error(said.replaceAll(/^/gm, prefix));
  if (called) console.error(`${prefix}poid: 'poid --help' lists the commands`);
  // process.exit, because a hanging disk would keep the event loop alive.
  return process.exit(called ? 2 : error instanceof UnsettledError ? 3 : 1);
}
