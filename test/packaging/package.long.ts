import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Caller, sale } from '../bench/caller.ts';
import { Children, heard } from '../bench/children.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const architectures = { x64: 'amd64', arm64: 'arm64' } as const;
const own = process.arch === 'arm64' ? 'arm64' : 'x64';

const names = ['poid', 'poid-sim'] as const;

/** Clones, packages and what is unpacked of them. Beside the project's packages, because a clone links them hard. */
let dir: string;
/** What the first build has said. */
let said: string;
before(() => {
  mkdirSync(path.join(root, '.poid'), { recursive: true });
  dir = mkdtempSync(path.join(root, '.poid/packaging-'));
  const [first, second] = ['a', 'elsewhere/in/depth'].map((name) => path.join(dir, name)) as [string, string];
  commitProject(first);
  git(dir, 'clone', '--quiet', first, second);
  for (const clone of [first, second]) execFileSync('cp', ['-al', path.join(root, 'node_modules'), clone]);
  said = buildPackages(first, path.join(dir, 'first'));
  // Into itself: what a build writes does not make its own version a local one.
  buildPackages(second, path.join(second, 'built'));
  renameSync(path.join(second, 'built'), path.join(dir, 'second'));
  for (const name of names) execFileSync('dpkg-deb', ['-x', deb('first', name), path.join(dir, 'unpacked')]);
});
after(() => rmSync(dir, { recursive: true }));

/** One commit of the project as it is here, without what it builds. It need not be a git repository here. */
function commitProject(checkout: string): void {
  mkdirSync(checkout, { recursive: true });
  const left = new Set(['.git', '.poid', 'node_modules', 'dist']);
  for (const name of readdirSync(root)) {
    if (!left.has(name)) execFileSync('cp', ['-a', path.join(root, name), checkout]);
  }
  git(checkout, 'init', '--quiet');
  git(checkout, 'add', '--all');
  git(checkout, 'commit', '--quiet', '--message', 'all');
}

function git(cwd: string, ...words: string[]): string {
  const [when, who] = ['2020-01-01T00:00:09Z', 'poid@example.invalid'];
  const author = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: who, GIT_AUTHOR_DATE: when };
  const committer = { GIT_COMMITTER_NAME: 'c', GIT_COMMITTER_EMAIL: who, GIT_COMMITTER_DATE: when };
  const env = { ...process.env, ...author, ...committer };
  return execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Returns what it says. */
function buildPackages(checkout: string, to: string): string {
  const main = path.join(checkout, 'packaging/main.ts');
  const { SOURCE_DATE_EPOCH: _, ...env } = process.env;
  const machines = Object.values(architectures).flatMap((each) => ['--arch', each]);
  const build = [main, to, '--compression', 'none', ...machines];
  return execFileSync(process.execPath, build, { encoding: 'utf8', stdio: 'pipe', env });
}

/** Of the commit: of a release where the section of package.json's version is dated, because it is the first commit. */
function builtVersion(): string {
  return /^package: (\S+) \(.*\)\n/.exec(said)?.[1] ?? assert.fail(said);
}

type Machine = keyof typeof architectures;

function deb(packages: string, name: (typeof names)[number], machine: Machine = own): string {
  return path.join(dir, packages, `${name}_${builtVersion()}_${name === 'poid' ? architectures[machine] : 'all'}.deb`);
}

/** Lines of dpkg-deb about a package. */
function fieldOf(flag: string, name: (typeof names)[number], machine: Machine = own): string[] {
  return execFileSync('dpkg-deb', [flag, deb('first', name, machine)], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

const installedFiles = [
  './lib/systemd/system/poid.service',
  './lib/udev/rules.d/60-poid.rules',
  './usr/lib/sysusers.d/poid.conf',
  './usr/lib/systemd/journald.conf.d/60-poid.conf',
  './usr/lib/poid/bin/poid',
  './usr/lib/poid/bin/node',
  './usr/lib/poid/dist/cli.js',
  './usr/lib/poid/dist/sd-notify.node',
  './usr/lib/poid/dist/spare-memory.node',
  './usr/bin/poid',
  './usr/share/man/man8/poid.8.gz',
  './usr/share/bash-completion/completions/poid',
  './usr/share/zsh/vendor-completions/_poid',
  './usr/share/fish/vendor_completions.d/poid.fish',
  './usr/share/doc/poid/copyright',
];

describe('the Debian packages', () => {
  for (const [name, machine] of [
    ['poid', 'x64'],
    ['poid', 'arm64'],
    ['poid-sim', own],
  ] as const) {
    test(`${name} for ${machine}: the same bytes from two clones at two places`, () => {
      const [first, second] = ['first', 'second'].map((each) =>
        createHash('sha256')
          .update(readFileSync(deb(each, name, machine)))
          .digest('hex'),
      );
      assert.equal(first, second);
    });

    test(`${name} for ${machine}: everything belongs to root, and nobody else may write`, () => {
      for (const line of fieldOf('-c', name, machine)) {
        assert.match(line, /^(?:[-d]rw[-x]r-[-x]r-[-x]|lrwxrwxrwx) root\/root /);
      }
    });
  }

  for (const machine of ['x64', 'arm64'] as const) {
    test(`poid has what the unit names, the addons of ${machine} alone, and no sources`, () => {
      const files = fieldOf('-c', 'poid', machine).map((line) => line.split(/\s+/)[5] ?? '');
      for (const file of installedFiles) assert.ok(files.includes(file), file);
      const addons = files.filter((file) => file.endsWith('.node') && !installedFiles.includes(file));
      assert.equal(addons.length, 3, addons.join('\n'));
      assert.deepEqual(
        addons.filter((file) => !file.includes(`linux-${machine}`)),
        [],
      );
      assert.deepEqual(
        files.filter((file) => /\.(?:ts|map|cc?|h|gyp|md5)$|hw-sim|poid\/src\//.test(file)),
        [],
      );
    });
  }

  test('they are of one version, that of the commit, and all that is inside says the same', () => {
    const { version: release } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const commit = git(path.join(dir, 'a'), 'rev-parse', 'HEAD').slice(0, 12);
    const version = builtVersion();
    if (version !== release) assert.equal(version, `${release}~git20200101000009.g${commit}`);
    const at = (file: string) => path.join(dir, 'unpacked', file);
    const text = (file: string) => readFileSync(at(file), 'utf8');
    for (const name of names) {
      assert.ok(fieldOf('-f', name).includes(`Version: ${version}`), name);
      const manifest = JSON.parse(text(`usr/lib/${name}/package.json`));
      assert.equal(manifest.version, version.replace('~git', '-git.'), name);
      const doc = execFileSync('zcat', [at(`usr/share/doc/${name}/changelog.gz`)], { encoding: 'utf8' });
      assert.ok(doc.startsWith(`${name} (${version}) `), doc);
    }
    assert.ok(fieldOf('-f', 'poid-sim').includes(`Depends: poid (= ${version})`));
    assert.equal(JSON.parse(text('usr/share/doc/poid/poid.cdx.json')).metadata.component.version, version);
    const node = at('usr/lib/poid/bin/node');
    for (const program of ['poid/dist/cli.js', 'poid-sim/hw-sim/main.js']) {
      const out = execFileSync(node, [at(`usr/lib/${program}`), '--version'], { encoding: 'utf8' });
      assert.equal(out, `${version}\n`, program);
    }
  });

  test('poid says what is inside: each package with its licence, in full', () => {
    const doc = path.join(dir, 'unpacked/usr/share/doc/poid');
    const { components } = JSON.parse(readFileSync(path.join(doc, 'poid.cdx.json'), 'utf8')) as {
      components: { name: string; version: string; licenses?: unknown[] }[];
    };
    const copyright = readFileSync(path.join(doc, 'copyright'), 'utf8');
    for (const name of ['serialport', 'node-hid', 'pino', 'zod', `node-linux-${process.arch}`]) {
      const found = components.find((each) => each.name === name) ?? assert.fail(name);
      assert.ok(found.licenses, name);
      assert.ok(copyright.includes(`== ${name} ${found.version} (`), name);
    }
    assert.ok(!components.some(({ name }) => name === 'typescript'));
  });

  test('the maintainer scripts are shell, and the man page is one', () => {
    for (const script of ['postinst', 'prerm', 'postrm']) {
      const text = execFileSync('dpkg-deb', ['-I', deb('first', 'poid'), script], { encoding: 'utf8' });
      assert.equal(spawnSync('sh', ['-n'], { input: text }).status, 0, script);
    }
    assert.match(fieldOf('-f', 'poid-sim').find((line) => line.startsWith('Depends:')) ?? '', /^Depends: poid \(= /);
    const page = execFileSync('zcat', [path.join(dir, 'unpacked/usr/share/man/man8/poid.8.gz')], { encoding: 'utf8' });
    assert.match(page, /^\.TH POID 8 "\d{4}\\-\d\d\\-\d\d" "poid /);
    assert.match(page, /\.SS "poid doctor"\n/);
  });

  test('what is in them sells: daemon and simulator on the packaged runtime, from where they were unpacked', async (t) => {
    const children = new Children();
    const pos = new Caller();
    t.after(async () => {
      pos.close();
      await children.endAll();
    });
    const usr = path.join(dir, 'unpacked/usr');
    // The launchers name the places of an installed system.
    const launched = (file: string, script: string) => {
      const launcher = path.join(dir, file);
      const text = readFileSync(path.join(usr, script), 'utf8').replaceAll('/usr/lib/', `${usr}/lib/`);
      writeFileSync(launcher, text, { mode: 0o755 });
      return launcher;
    };
    const simulated = ['--sim-port', '0', '--sim-dir', path.join(dir, 'bench')];
    const simulator = children.start(launched('sim', 'bin/poid-sim'), simulated, { env: {}, talks: 'by messages' });
    const { port, configuration } = await heard<{ port: number; configuration: string }>(simulator, 'the simulator');
    const state = ['--state-dir', path.join(dir, 'state'), '--port', '0', '--screen-port', '0'];
    const run = ['run', '--config', configuration, ...state];
    const daemon = children.start(launched('poid', 'lib/poid/bin/poid'), run, { env: {}, talks: 'by messages' });
    const { apiPort } = await heard<{ apiPort: number }>(daemon, 'the daemon');
    const customer = pos.does(`http://127.0.0.1:${port}/api/reader/tap`, { card: 'visa', holdMs: 60_000 });
    const sold = await pos.does(`http://127.0.0.1:${apiPort}/sp/v1/payment`, sale('packaged'));
    await customer;
    assert.equal((sold as Record<string, unknown>)['responseResult'], 'SUCCESS');
  });

  test('what can’t be built is a sentence, and no package', () => {
    for (const [flags, why] of [
      [['--arch', 'i386'], /^package: --arch is one of amd64, arm64\n$/],
      [['--compression', 'zip'], /^package: --compression is one of /],
    ] as const) {
      const to = path.join(dir, 'none');
      const main = path.join(root, 'packaging/main.ts');
      const { status, stderr } = spawnSync(process.execPath, [main, to, ...flags], { encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(stderr, why);
    }
  });
});
