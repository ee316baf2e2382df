import { statfsSync } from 'node:fs';
import type { JournalHealth } from '../payment/contracts/journal.ts';

/**
 * Below this free space no payment begins. A payment takes about ten commits of a few pages each; what runs beside it
 * (a reversal, a settlement's result, SQLite's own log up to its limit) comes on top.
 */
const reservedBytes = 16 * 1024 * 1024;

/** `dir`: the directory of the journal. */
export function healthOf(dir: string): JournalHealth {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize < reservedBytes ? 'full' : 'ok';
}
