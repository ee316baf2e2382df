import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Flags of the daemon's process. A snapshot belongs to them (bin/poid). SIGUSR1 would open Node's inspector, which runs
 * whatever a program of this machine sends it.
 */
export const processFlags = ['--disable-sigusr1', '--max-semi-space-size=4', '--heap-growing-percent=50'] as const;

/** What a snapshot belongs to: this program, this runtime byte for byte, and the flags. */
export async function snapshotId(program: string, runtime: string): Promise<string> {
  const sum = createHash('sha256').update(processFlags.join(' '));
  for (const file of [program, runtime]) await pipeline(createReadStream(file), sum, { end: false });
  return sum.digest('hex').slice(0, 32);
}
