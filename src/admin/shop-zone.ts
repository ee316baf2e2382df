import { existsSync } from 'node:fs';
import { ConfigurationError, loadConfiguration } from '../config/load.ts';
import { adoptTimeZone } from '../observability/time-zone.ts';
import type { CommissioningFlags } from './flags.ts';
import { defaultStateDir, placesOf } from '../config/places.ts';

/**
 * Makes the shop's time zone that of this command, as far as it may read the configuration: else the machine's. Rejects
 * with ConfigurationError for a configuration that was named and can't be used.
 */
export async function adoptConfiguredZone(flags: Pick<CommissioningFlags, 'config' | 'root'>): Promise<void> {
  const { configuration } = placesOf(flags, defaultStateDir);
  if (flags.config === undefined && !existsSync(configuration)) return void adoptTimeZone(undefined);
  try {
    const own = await loadConfiguration([configuration], {}, { keys: 'unread' });
    // No fleet may set it.
    adoptTimeZone(own.timeZone);
  } catch (error) {
    if (flags.config !== undefined || !(error instanceof ConfigurationError)) throw error;
    adoptTimeZone(undefined);
  }
}
