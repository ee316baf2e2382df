import { fileURLToPath } from 'node:url';
import { readCommit } from './git-commit.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * When the sources were committed, or what the environment says (reproducible-builds.org, SOURCE_DATE_EPOCH), in seconds
 * since 1970: the same sources give the same bytes. Undefined where neither is known.
 */
export function commitSeconds(): number | undefined {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  const commit = readCommit(root);
  return 'noCommit' in commit ? undefined : commit.seconds;
}
