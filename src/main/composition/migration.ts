import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { Log } from '../../observability/log.ts';
import { isOnTrial } from '../../observability/trial.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import type { OpenParts } from './open-parts.ts';

/** The interval between looks whether this version was accepted. */
const lookMs = 2_000;

interface MigrationParts {
  readonly journal: Pick<Journal, 'schema'>;
  readonly terminal: Pick<Terminal, 'running'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'>;
  /** Ends this process in order; systemd restarts it. */
  readonly restart?: () => void;
  readonly isOnTrial?: () => Promise<boolean>;
}

/**
 * Where the journal's migration waits for the acceptance of this version: ends the process once the version is accepted
 * and the terminal is idle. The next start migrates, because a migration takes as long as the journal is large, and
 * nothing can be paid meanwhile.
 */
export function openMigration(
  { journal, terminal, clock, log, restart = endInOrder, isOnTrial: isStillOnTrial = isOnTrial }: MigrationParts,
  opened: OpenParts,
): void {
  if (journal.schema?.migration !== 'onTrial') return;
  let timer: unknown;
  let isClosed = false;
  const look = async () => {
    const waits = await isStillOnTrial();
    if (isClosed) return;
    if (waits || terminal.running) {
      timer = clock.setTimeout(() => void look(), lookMs);
      return;
    }
    log.info('journal', { reason: 'this version is accepted: the terminal starts anew and migrates the journal' });
    restart();
  };
  timer = clock.setTimeout(() => void look(), lookMs);
  opened.add({
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
    },
  });
}

function endInOrder(): void {
  process.kill(process.pid, 'SIGTERM');
}
