import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { closeFile, closeState, isReachable } from '../secrets/private-file.ts';
import type { Log } from '../supervision/log.ts';

/** The state directory, made where it is not there, and its owner's alone. Rejects with an Error that says why not. */
export async function privateState(stateDir: string, log: Log): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await closeState(stateDir, warnOpen(log));
}

/**
 * The files of the configuration, where they hold a key of an acquirer: everybody may not read them, their group may, which is how they
 * are installed (0640, group poid). Rejects with an Error that says which can't be closed.
 */
export async function privateKeys(files: readonly string[], { acquirers }: Configuration, log: Log): Promise<void> {
  if (!acquirers.some((each) => 'clientKey' in each)) return;
  for (const file of files) {
    if (await isReachable(path.dirname(file))) await closeFile(file, 0o007, warnOpen(log));
  }
}

/** What somebody may have read is not secret again by being closed. */
function warnOpen(log: Log) {
  return (file: string, mode: string) =>
    log.warn('open to others', {
      reason: `${file} had mode ${mode} and is closed now: who could read it may know what is in it`,
    });
}
