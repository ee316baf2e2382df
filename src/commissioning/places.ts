import { existsSync } from 'node:fs';
import { defaultConfiguration, loadConfiguration } from '../config/load.ts';
import type { CommissioningFlags } from './flags.ts';

const defaultStateDir = '/var/lib/poid';

/**
 * The state directory by the flags, else by the configuration; that of the package where there is no configuration yet,
 * or no more. Rejects with ConfigurationError.
 */
export async function stateDirOf(flags: Pick<CommissioningFlags, 'config' | 'state-dir'>): Promise<string> {
  if (flags['state-dir'] !== undefined) return flags['state-dir'];
  if (flags.config === undefined && !existsSync(defaultConfiguration)) return defaultStateDir;
  return (await loadConfiguration([flags.config ?? defaultConfiguration])).stateDir;
}
