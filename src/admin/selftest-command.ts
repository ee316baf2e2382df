import { loadConfiguration } from '../config/load.ts';
import { currentVersion } from '../observability/version.ts';
import { UsageError } from '../base/usage-error.ts';
import { type Finding, findingText, reportFindings } from './finding.ts';
import type { CommissioningFlags } from './flags.ts';
import { withIdleJournal } from './idle-journal.ts';
import { readStoredKeys } from './key-store.ts';
import { isClockSynchronised } from '../observability/time-sync.ts';
import { timeServerQuestions } from './checks/clock.ts';
import { askBefore, thisMachine } from './machine.ts';
import { becomeService, serviceRights } from './owner-rights.ts';
import { presentPlaces } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';
import { PersonAtShell } from './selftest/person.ts';
import { runSelftest } from './selftest/selftest.ts';

/**
 * `poid selftest`. Exit codes: 0 no part fails, 1 one does. The terminal must be stopped, and can't be started
 * meanwhile: a device has one user at a time, and a payment that began in between would meet a reader that waits for a
 * test card.
 */
export async function selftestCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('selftest takes no arguments');
  const places = await presentPlaces(flags);
  const configuration = await loadConfiguration([places.configuration], {}, { keys: readStoredKeys(places) });
  const stateDir = flags['state-dir'] ?? places.stateDir;
  const serialNumber = readSerialNumber(places) ?? 'without a serial number';
  const machine = askBefore(thisMachine, timeServerQuestions);
  const isSynchronised = await isClockSynchronised();
  await becomeService(stateDir, serviceRights(thisMachine)?.groups);
  return withIdleJournal(stateDir, async () => {
    const person = flags.unattended ? undefined : new PersonAtShell();
    // With an operator present, each finding is printed at once.
    const onFinding = (finding: Finding) => process.stderr.write(`${findingText(finding)}\n`);
    const options = { machine, isSynchronised, serialNumber, ...(person ? { person, onFinding } : {}) };
    const findings = await runSelftest(configuration, options).finally(() => person?.close());
    const at = new Date().toISOString();
    return reportFindings(findings, flags.json === true, { serialNumber, version: currentVersion(), at });
  });
}
