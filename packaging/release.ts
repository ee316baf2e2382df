import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError } from '../build/addons.ts';
import { commitSeconds } from '../build/commit-time.ts';
import { readVersion } from '../build/version.ts';
import type { Release } from './deb.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The state of the sources that is built, read once: a build that writes into its own checkout changes it. Says on standard
 * output which version that is. Throws BuildError if it can't be decided whether this is the release.
 */
export function announceRelease(program: string): Release {
  const { text: version, npm: npmVersion, what, doubt } = readVersion();
  if (doubt !== undefined) throw new BuildError(doubt);
  console.log(`${program}: ${version} (${what})`);
  return { version, npmVersion, epoch: packageEpoch() };
}

/** The time of every file that is written. Without a commit it is that of package.json, which an archive of git keeps. */
function packageEpoch(): number {
  const seconds = commitSeconds() ?? Math.floor(statSync(path.join(root, 'package.json')).mtimeMs / 1_000);
  if (Number.isSafeInteger(seconds) && seconds >= 0) return seconds;
  throw new BuildError('SOURCE_DATE_EPOCH is no number of seconds');
}
