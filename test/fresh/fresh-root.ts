import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseRoot } from '../packaging/machine/base-root.ts';
import { type PassedSettings, passedSettings } from './npm-settings.ts';

/** Where the root has the files of certificate authorities. */
const settingsDir = '/etc/npm-settings';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** What README names besides Node and npm; git and ca-certificates are what gets the project and its packages. */
const packages = ['git', 'ca-certificates', 'perl', 'gcc', 'libc6-dev'];

/** The account that runs the commands. */
export interface Account {
  readonly name: string;
  readonly id: number;
  readonly home: string;
  /** As Debian sets it: an ordinary account has no sbin. */
  readonly path: string;
}

export const accounts = {
  root: { name: 'root', id: 0, home: '/root', path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  ordinary: { name: 'user', id: 1000, home: '/home/user', path: '/usr/local/bin:/usr/bin:/bin' },
} as const satisfies Record<string, Account>;

/** Enters a root and runs a command there. Of this machine's devices it has those of any container, and pseudo-terminals of its own. */
const enter = `set -eu
root=$1 id=$2 dir=$3; shift 3
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755,nosuid dev "$root/dev"
for each in null zero full random urandom tty; do
  : > "$root/dev/$each"
  mount --bind "/dev/$each" "$root/dev/$each"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
[ -z "$POID_LOOPBACK" ] || ip link set lo up
unset POID_LOOPBACK
exec chroot --userspec="$id:$id" "$root" /bin/sh -c 'cd "$1"; shift; exec "$@"' sh "$dir" "$@"`;

/** A Debian that has what README names, this machine's Node and npm, and a clone of the project. */
export class FreshRoot {
  readonly dir: string;
  readonly #account: Account;
  readonly #settings: PassedSettings;

  private constructor(dir: string, account: Account, settings: PassedSettings) {
    this.dir = dir;
    this.#account = account;
    this.#settings = settings;
  }

  /** Makes it in `dir`, which must not exist. */
  static make(dir: string, account: Account): FreshRoot {
    const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
    execFileSync('cp', ['-a', '--reflink=auto', baseRoot({ variant: 'minbase', architecture, packages }), dir]);
    const programs = withoutPackages(process.env['PATH'] ?? '');
    const npm = foundIn(programs, 'npm');
    const root = new FreshRoot(dir, account, npmSettings(npm, programs));
    root.#install(foundIn(programs, 'node'), npm);
    root.#configure();
    root.#clone();
    return root;
  }

  /** The clone, as the root names it. Its path has a space, as a directory of a desktop may. */
  get project(): string {
    return `${this.#account.home}/my poid`;
  }

  /** A file of the root, as this machine names it. */
  file(name: string): string {
    return path.join(this.dir, name);
  }

  /** Starts a command in the clone. Only with `network` does it reach more than itself. */
  start(command: readonly string[], network: boolean, env: Readonly<Record<string, string>> = {}): ChildProcess {
    const { name, home, id, path: programs } = this.#account;
    const spaces = [
      '--mount',
      '--propagation',
      'private',
      '--pid',
      '--fork',
      '--kill-child',
      ...(network ? [] : ['--net']),
    ];
    const own = { HOME: home, USER: name, LOGNAME: name, LANG: 'C.UTF-8', ...this.#settings.env, ...env };
    const variables = Object.entries({ ...own, PATH: programs }).map(([key, value]) => `${key}=${value}`);
    const inside = ['/usr/bin/env', '-i', ...variables, ...command];
    const parameters = [...spaces, 'sh', '-c', enter, 'sh', this.dir, String(id), this.project, ...inside];
    return spawn('unshare', parameters, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, POID_LOOPBACK: network ? '' : '1' },
    });
  }

  /** The exit code of a command, which has ended. */
  async run(...parameters: Parameters<FreshRoot['start']>): Promise<number> {
    const [code] = (await once(this.start(...parameters), 'close')) as [number | null];
    return code ?? 1;
  }

  delete(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** This machine's Node and npm. Of Node's libraries Debian has those that every build of nodejs.org needs. */
  #install(node: string, npm: string): void {
    copyFileSync(realpathSync(node), this.file('usr/local/bin/node'));
    // /usr/lib/node_modules/npm/bin/npm-cli.js
    const library = path.resolve(realpathSync(npm), '../..');
    mkdirSync(this.file('usr/local/lib/node_modules'), { recursive: true });
    execFileSync('cp', ['-a', library, this.file('usr/local/lib/node_modules/npm')]);
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, this.file(`usr/local/bin/${name}`));
  }

  #configure(): void {
    const { name, id, home } = this.#account;
    if (id !== 0) {
      appendFileSync(this.file('etc/passwd'), `${name}:x:${id}:${id}::${home}:/bin/bash\n`);
      appendFileSync(this.file('etc/group'), `${name}:x:${id}:\n`);
      mkdirSync(this.file(home));
    }
    for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/hostname'])
      if (existsSync(file)) copyFileSync(file, this.file(file));
    for (const [there, here] of Object.entries(this.#settings.files)) {
      mkdirSync(path.dirname(this.file(there)), { recursive: true });
      copyFileSync(here, this.file(there));
    }
  }

  /** As somebody has it who has never been here. What is not committed is not in it. */
  #clone(): void {
    const { id, home } = this.#account;
    const git = this.file('tmp/gitconfig');
    // CI's checkout may belong to another user than the one that runs it.
    appendFileSync(git, '[safe]\n\tdirectory = *\n');
    const env = { ...process.env, GIT_CONFIG_GLOBAL: git };
    const left = execFileSync('git', ['status', '--porcelain'], { cwd: project, env, encoding: 'utf8' });
    if (left !== '') console.log(`not committed, and so not in the clone:\n${left}`);
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${project}`, this.file(this.project)], { env });
    execFileSync('chown', ['-R', `${id}:${id}`, this.file(home)]);
    rmSync(git);
  }
}

/** PATH as it was before npm put the project's own programs in front. */
function withoutPackages(searched: string): string {
  return searched
    .split(':')
    .filter((each) => !/node_modules|node-gyp-bin/.test(each))
    .join(':');
}

function foundIn(programs: string, name: string): string {
  const dirs = programs.split(':');
  const found = dirs.map((dir) => path.join(dir, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`there is no ${name} on the PATH`);
  return found;
}

function npmSettings(npm: string, programs: string): PassedSettings {
  const text = execFileSync(npm, ['config', 'list', '--long', '--json'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: programs },
  });
  return passedSettings(JSON.parse(text) as Record<string, unknown>, process.env, settingsDir);
}
