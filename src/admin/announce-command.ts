import { statSync } from 'node:fs';
import { loadConfiguration } from '../config/load.ts';
import { UsageError } from '../base/usage-error.ts';
import { announce, announced, hasAvahi, type AnnouncementChange } from './announcement.ts';
import type { CommissioningFlags } from './flags.ts';
import { defaultStateDir, placesOf } from '../config/places.ts';

/**
 * `poid announce`: publishes the terminal's address through Avahi, for tills. poid-announce.service calls it once the
 * terminal is up.
 */
export async function announceCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('announce takes no arguments');
  const places = placesOf(flags, defaultStateDir);
  // Not access(2), which ignores the capabilities of the unit. An unreadable file is no reason to remove the
  // announcement.
  const isThere = statSync(places.configuration, { throwIfNoEntry: false }) !== undefined;
  const configuration =
    hasAvahi(places) && isThere ? await loadConfiguration([places.configuration], {}, { keys: 'unread' }) : undefined;
  const change = await announce(configuration && (await announced(configuration)), places);
  console.log(texts[change].replace('FILE', places.announcement));
  return 0;
}

const texts: Readonly<Record<AnnouncementChange, string>> = {
  written: 'FILE tells Avahi where tills find this terminal',
  removed: 'FILE is removed: there is nothing that a till could reach',
  unchanged: 'FILE is as it should be',
  noAvahi: 'FILE is not written: Avahi is not installed (Debian: avahi-daemon)',
};
