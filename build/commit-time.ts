import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * When the sources were committed, or what the environment says (reproducible-builds.org, SOURCE_DATE_EPOCH), in seconds
 * since 1970: the same sources give the same bytes. Undefined where neither tells.
 */
export function commitSeconds(): number | undefined {
  const given = process.env['SOURCE_DATE_EPOCH'];
  try {
    return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, stdio: 'pipe' }));
  } catch {
    return undefined;
  }
}
