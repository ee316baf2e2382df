import type { ClockState } from '../../base/domain/clock-doubt.ts';
import type { JournalCheckReport, JournalHealth, MigrationDelay } from '../../payment/contracts/journal.ts';
import { all, count, list, object, text } from './openapi-schema.ts';

/** The parts of a status about the clock and the journal. */
export const clockAndJournal = {
  clock: {
    ...object(
      {
        state: all<ClockState>({ ok: true, unknown: true, unsynchronised: true, beforeBuild: true }),
        timeZone: text,
        timeZoneFault: text,
      },
      'timeZoneFault',
    ),
    description:
      'ok: a time server has set it since the machine was started. unknown: nothing tells. beforeBuild: it is earlier than this ' +
      'program was built. timeZone: of receipts and of the daily settlement, a canonical name of the IANA database. ' +
      'timeZoneFault: why it is UTC although the environment or the machine names something else',
  },
  journal: {
    ...all<JournalHealth | 'silent'>({ ok: true, full: true, silent: true }),
    description: 'silent: its disk does not answer; what only the journal knows is absent then, and named by untold',
  },
  untold: list(text),
  journalCheck: {
    ...object(
      {
        state: all<JournalCheckReport['state']>({ never: true, running: true, ok: true, damaged: true }),
        at: text,
        checked: count,
        reason: text,
      },
      'at',
      'checked',
      'reason',
    ),
    description:
      'the result of the last read-through of the journal, which runs while idle, once a day and after every unclean end. ' +
      'checked: rows read so far. reason: what is damaged',
  },
  journalSchema: { ...count, description: 'the version of the journal’s tables' },
  journalMigration: {
    ...all<MigrationDelay>({ onTrial: true, failed: true }),
    description: 'onTrial: it waits until this version is accepted. failed: the next start tries again',
  },
  journalFault: {
    type: 'string',
    description: 'until the next start: the journal is an older copy of the one used before, or another journal',
  },
  archiveFault: {
    type: 'string',
    description:
      'which archive of the journal is missing or damaged, and what to do; or why old transactions could not be archived, then nothing is lost',
  },
} as const;
