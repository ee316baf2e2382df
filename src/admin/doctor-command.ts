import { defaultStateDir, placesOf, stateDirOf } from '../config/places.ts';
import { ConfigurationError } from '../config/load.ts';
import { currentVersion } from '../observability/version.ts';
import { UsageError } from '../base/usage-error.ts';
import { runDoctor } from './doctor/doctor.ts';
import { reportFindings } from './finding.ts';
import type { CommissioningFlags } from './flags.ts';
import { thisMachine } from './machine.ts';
import { becomeService } from './owner-rights.ts';
import { readSerialNumber } from '../config/serial-number.ts';

/** `poid doctor`. Exit codes: 0 nothing fails, 1 something does. It may run beside the terminal. */
export async function doctorCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('doctor takes no arguments');
  const stateDir = await stateDirOf(flags).catch((error: unknown) => {
    // The doctor reports faults of the configuration itself.
    if (error instanceof ConfigurationError) return defaultStateDir;
    throw error;
  });
  const places = placesOf(flags, stateDir);
  const serialNumber = readSerialNumber(places) ?? 'without a serial number';
  const findings = await runDoctor(places, {
    machine: thisMachine,
    dropRights: (groups) => becomeService(places.stateDir, groups),
  });
  return reportFindings(findings, flags.json === true, {
    serialNumber,
    version: currentVersion(),
    at: new Date().toISOString(),
  });
}
