import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** What is checked out in a directory. */
export interface Commit {
  /** All digits. */
  readonly id: string;
  readonly parents: readonly string[];
  /** When it was committed, in seconds since 1970: not when its author wrote it. */
  readonly seconds: number;
  /** Whether files differ from the commit or are untracked. Files that git ignores do not count. */
  readonly isChanged: boolean;
}

/** Why there is no commit, as a part of a sentence. */
interface NoCommit {
  readonly noCommit: string;
}

/**
 * Reads the commit of a checkout. A directory below another repository's root, such as an unpacked archive in somebody's
 * working tree, has no commit: that of the other repository says nothing about it.
 */
export function readCommit(directory: string): Commit | NoCommit {
  try {
    const [top = '', id = ''] = git(directory, 'rev-parse', '--show-toplevel', 'HEAD').split('\n');
    if (realpathSync(top) !== realpathSync(directory))
      return { noCommit: 'this directory is no git checkout of its own' };
    const text = git(directory, 'cat-file', 'commit', id);
    const head = text.slice(0, text.indexOf('\n\n'));
    const [, seconds] = /^committer .* (\d+) [-+]\d+$/m.exec(head) ?? [];
    const changes = ['status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none'];
    return {
      id,
      parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent),
      seconds: Number(seconds),
      isChanged: git(directory, ...changes) !== '',
    };
  } catch (error) {
    return { noCommit: whyOf(error) };
  }
}

/** The text of a file in a commit, or what is missing. A shallow clone lacks commits. */
export function readCommitted(
  directory: string,
  commit: string,
  file: string,
): { text: string } | 'noFile' | 'noCommit' {
  try {
    return { text: git(directory, 'cat-file', 'blob', `${commit}:${file}`) };
  } catch {
    return isThere(directory, commit) ? 'noFile' : 'noCommit';
  }
}

function isThere(directory: string, commit: string): boolean {
  try {
    git(directory, 'cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * The user's settings and variables do not decide what is read: a hook's GIT_DIR would name another repository, and a
 * replaced object is not what was committed. Git refuses a checkout of another user, because its settings could name
 * programs to run. Here it is allowed: a build of that checkout runs its programs anyway.
 */
function git(directory: string, ...words: string[]): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const settings = ['-c', `safe.directory=${realpathSync(directory)}`, '-c', 'core.fsmonitor=false'];
  return execFileSync('git', [...settings, ...words], {
    cwd: directory,
    env: { ...Object.fromEntries(own), LC_ALL: 'C', GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  });
}

function whyOf(error: unknown): string {
  const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
  if (code === 'ENOENT') return 'git is not installed';
  if (stderr === undefined || stderr === '') return 'git can’t be asked';
  if (stderr.includes('not a git repository')) return 'this directory is no git checkout';
  if (stderr.includes("ambiguous argument 'HEAD'")) return 'nothing is committed';
  return `git says: ${stderr.replace(/^fatal: /, '').split('\n')[0]}`;
}
