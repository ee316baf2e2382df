import { existsSync } from 'node:fs';
import { loadConfiguration } from '../config/load.ts';
import { UsageError } from '../usage-error.ts';
import { announce, announced, type AnnouncementChange } from './announcement.ts';
import type { CommissioningFlags } from './flags.ts';
import { placesOf, stateDirOf } from './places.ts';

/** `poid announce`: tells Avahi where tills find this terminal. The unit calls it once the terminal is up. */
export async function announceCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('announce takes no arguments');
  const places = placesOf(flags, await stateDirOf(flags));
  const configuration = existsSync(places.configuration)
    ? await loadConfiguration([places.configuration], {}, { keys: 'unread' })
    : undefined;
  const change = await announce(configuration && announced(configuration, places), places);
  console.log(texts[change].replace('FILE', places.announcement));
  return 0;
}

const texts: Readonly<Record<AnnouncementChange, string>> = {
  written: 'FILE tells Avahi where tills find this terminal',
  removed: 'FILE is removed: there is nothing that a till could reach',
  unchanged: 'FILE is as it should be',
  noAvahi: 'FILE is not written: Avahi is not installed (Debian: avahi-daemon)',
};
