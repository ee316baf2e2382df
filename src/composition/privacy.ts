import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { closeFile, closeState, isReachable } from '../secrets/private-file.ts';
import type { Log } from '../supervision/log.ts';

/**
 * Creates the state directory if needed, and restricts it to its owner. Rejects with an Error that gives the reason.
 */
export async function privateState(stateDir: string, log: Log): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await closeState(stateDir, warnOpen(log));
}

/**
 * Restricts configuration files that contain an acquirer's key: other users may not read them. Their group may, as they
 * are installed (0640, group poid). Rejects with an Error that names the file.
 */
export async function privateKeys(files: readonly string[], { acquirers }: Configuration, log: Log): Promise<void> {
  if (!acquirers.some((each) => 'clientKey' in each)) return;
  for (const file of files) {
    if (await isReachable(path.dirname(file))) await closeFile(file, 0o007, warnOpen(log));
  }
}

/** Restricting a file does not make its content secret again: the log says who may know it. */
function warnOpen(log: Log) {
  return (file: string, mode: string) =>
    log.warn('open to others', {
      reason: `${file} had mode ${mode} and was restricted: other users may have read it`,
    });
}
