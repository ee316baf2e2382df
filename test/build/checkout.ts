import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** A directory with a version and a CHANGELOG, and a git repository if `git` is called. */
export class Checkout {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** In a directory of its own, outside every repository. */
  static make(t: TestContext, release = '1.2.0'): Checkout {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-version-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const checkout = new Checkout(path.join(dir, 'checkout'));
    checkout.write('package.json', JSON.stringify({ version: release }));
    checkout.write('CHANGELOG.md', changelog('unreleased'));
    checkout.write('.gitignore', '*.ignored\n');
    return checkout;
  }

  /** With a repository and a first commit. */
  static committed(t: TestContext): Checkout {
    const checkout = Checkout.make(t);
    checkout.git('init', '--quiet', '--initial-branch=main');
    checkout.commit('2026-11-25T08:00:00Z');
    return checkout;
  }

  write(name: string, text: string): void {
    const file = path.join(this.dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** The author's time is another one, and does not count. */
  git(...words: string[]): string {
    return this.gitAt('2026-11-25T08:00:00Z', ...words);
  }

  gitAt(at: string, ...words: string[]): string {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
    const person = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@x',
      GIT_COMMITTER_NAME: 'c',
      GIT_COMMITTER_EMAIL: 'c@x',
    };
    const times = { GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z', GIT_COMMITTER_DATE: at };
    const env = { ...Object.fromEntries(own), ...person, ...times, GIT_CONFIG_GLOBAL: '/dev/null' };
    return execFileSync('git', ['-c', `safe.directory=${this.dir}`, ...words], {
      cwd: this.dir,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** Commits everything that is there. Returns the version's name of the commit: "g" and 12 digits. */
  commit(at: string): string {
    this.git('add', '--all');
    this.gitAt(at, 'commit', '--quiet', '--allow-empty', '--message', at);
    return this.name;
  }

  get name(): string {
    return `g${this.git('rev-parse', 'HEAD').slice(0, 12)}`;
  }
}

export function changelog(when: string, release = '1.2.0'): string {
  return `# Changelog\n\n## ${release}, ${when}\n\n### Added\n\n- A thing.\n\n## 1.1.0, 2026-01-01\n`;
}
