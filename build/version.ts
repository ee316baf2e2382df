import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError } from './addons.ts';
import { readCommit, readCommitted } from './git-commit.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The version of one build. docs/compatibility.md says what each form means. */
export interface Version {
  /** As dpkg orders it; what the terminal, its packages and its images say. */
  readonly text: string;
  /** The same for npm (semver.org). */
  readonly npm: string;
  /** Whether this is the release, or why not, as a part of a sentence. */
  readonly what: string;
  /** Set if it can't be found out whether this is the release. */
  readonly doubt?: string;
}

/** Which commit gave the version's section of CHANGELOG.md its date. 'unknown': a shallow clone lacks the commit before. */
type Dated = 'here' | 'before' | 'never' | 'unknown';

/** What the version follows from. */
export interface VersionFacts {
  /** The next release, of package.json. */
  readonly release: string;
  readonly commit:
    | { readonly id: string; readonly seconds: number; readonly isChanged: boolean; readonly dated: Dated }
    | { readonly noCommit: string };
}

/**
 * Digits of a commit in a version. How many git itself shows depends on the clone; all 40 would make a version longer than
 * the 64 characters that hawkBit takes.
 */
const idDigits = 12;

/** The version that package.json of `directory` names, and what git says of the directory. Throws BuildError. */
export function readVersion(directory = root): Version {
  const { version: release } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as {
    version: string;
  };
  const commit = readCommit(directory);
  if ('noCommit' in commit) return versionOf({ release, commit });
  return versionOf({ release, commit: { ...commit, dated: whoDated(directory, release, commit) } });
}

/** Throws BuildError for a release that is not three numbers. */
export function versionOf({ release, commit }: VersionFacts): Version {
  const number = '(?:0|[1-9]\\d*)';
  if (!new RegExp(`^${number}\\.${number}\\.${number}$`).test(release)) {
    throw new BuildError('the version in package.json is no three numbers, such as 1.2.3');
  }
  if ('noCommit' in commit) {
    return { text: `${release}~git0.local`, npm: `${release}-git.0.local`, what: `not a release: ${commit.noCommit}` };
  }
  const { id, seconds, isChanged, dated } = commit;
  if (dated === 'here' && !isChanged) {
    return { text: release, npm: release, what: 'the release: this commit dates its section of CHANGELOG.md' };
  }
  // Digits alone: dpkg compares them as one number.
  const time = new Date(1_000 * seconds).toISOString().slice(0, 19).replaceAll(/\D/g, '');
  const tail = `g${id.slice(0, idDigits)}${isChanged ? '.local' : ''}`;
  const doubt = `this shallow clone lacks the commit before, so nobody knows whether this is the release ${release}: git fetch --deepen 1`;
  return {
    text: `${release}~git${time}.${tail}`,
    npm: `${release}-git.${time}.${tail}`,
    what: `not a release: ${whyNot(release, dated)}${isChanged ? '; with local changes' : ''}`,
    ...(dated === 'unknown' && !isChanged ? { doubt } : {}),
  };
}

function whyNot(release: string, dated: Dated): string {
  const reasons = {
    here: `this commit dates ${release} in CHANGELOG.md`,
    before: `CHANGELOG.md had a date for ${release} before this commit; raise the version in package.json, or this is older than the release`,
    never: `CHANGELOG.md has no date for ${release}`,
    unknown: `CHANGELOG.md has a date for ${release}, perhaps from this commit`,
  };
  return reasons[dated];
}

/** A merge of the commit that dates the section is not the release: one of its parents has the date. */
function whoDated(
  directory: string,
  release: string,
  { id, parents }: { id: string; parents: readonly string[] },
): Dated {
  const dated = [id, ...parents].map((each) => {
    const file = readCommitted(directory, each, 'CHANGELOG.md');
    return file === 'noCommit' ? undefined : file !== 'noFile' && hasDate(file.text, release);
  });
  const [here, ...before] = dated;
  if (here !== true) return 'never';
  if (before.includes(true)) return 'before';
  return before.includes(undefined) ? 'unknown' : 'here';
}

/** Whether the heading of a release's section has a date: "## 1.2.3, 2026-11-26" or "## [1.2.3] - 2026-11-26". */
export function hasDate(changelog: string, release: string): boolean {
  const name = release.replaceAll('.', '\\.');
  const date = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
  return new RegExp(
    `^##[ \\t]+(?:\\[${name}\\]|${name})(?:,|[ \\t]+[-–—])?[ \\t]+\\(?${date}\\)?[ \\t]*\\r?$`,
    'm',
  ).test(changelog);
}
