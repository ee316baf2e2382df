import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bareRoot, baseRoot } from './machine/base-root.ts';
import { packageFile } from './machine/packages.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-offline-'));
});
after(() => rmSync(dir, { recursive: true }));

/** A bare Debian 12 of its own. */
function bare(name: string): string {
  const root = path.join(dir, name);
  execFileSync('cp', ['-a', '--reflink=auto', baseRoot(bareRoot), root]);
  return root;
}

/** The commands of docs/manufacturing.md. */
function procedure(name: string): string {
  const text = readFileSync(new URL('../../docs/manufacturing.md', import.meta.url), 'utf8');
  const [, block = assert.fail(name)] =
    new RegExp(`<!-- procedure: ${name} -->\n\`\`\`\n([^]*?)\`\`\``).exec(text) ?? [];
  return block;
}

/** Runs commands in a root: with the network of this machine, or in a container with none. */
function run(root: string, script: string, cwd: string, network: 'network' | 'none') {
  const command = ['sh', '-e', '-c', `cd ${cwd}\n${script}`];
  // systemd-nspawn wants a /run of its own where no systemd runs outside.
  const apart =
    'mount -t tmpfs tmpfs /run && exec systemd-nspawn --quiet --register=no --keep-unit --private-network "$@"';
  const [program, ...rest] =
    network === 'network'
      ? (['chroot', root, ...command] as const)
      : ([
          'unshare',
          '--propagation',
          'private',
          '-m',
          'sh',
          '-c',
          apart,
          'sh',
          '--pipe',
          '-D',
          root,
          ...command,
        ] as const);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, said: stdout + stderr };
}

/** What a chroot needs of this machine to reach a mirror. */
function connect(root: string): void {
  if (existsSync('/etc/resolv.conf'))
    writeFileSync(path.join(root, 'etc/resolv.conf'), readFileSync('/etc/resolv.conf'));
  for (const file of globSync('/etc/apt/apt.conf.d/*proxy*')) cpSync(file, path.join(root, file));
}

/** Fetches on a connected machine, for that CPU; the names of the files. */
function fetched(cpu: string): { stick: string; files: readonly string[] } {
  const root = bare(`connected-${cpu}`);
  connect(root);
  const stick = path.join(root, 'stick');
  mkdirSync(stick);
  const { status, said } = run(root, procedure('fetch').replace('cpu=amd64', `cpu=${cpu}`), '/stick', 'network');
  assert.equal(status, 0, said);
  return { stick, files: readdirSync(stick).toSorted() };
}

for (const cpu of ['amd64', 'arm64']) {
  test(`the libraries for ${cpu} are fetched on a connected machine of any CPU`, () => {
    const { files } = fetched(cpu);
    assert.deepEqual(
      files.map((file) => file.replace(/_[^_]+_/, ' ')),
      ['gcc-12-base', 'libgcc-s1', 'libstdc++6', 'libudev1', 'libusb-1.0-0'].map((name) => `${name} ${cpu}.deb`),
    );
  });
}

test('a bare Debian without network installs the package from the stick, and it runs', () => {
  const root = bare('line');
  const stick = path.join(root, 'mnt');
  cpSync(packageFile('poid'), path.join(stick, path.basename(packageFile('poid'))));
  const lacking = run(root, 'dpkg-query -W libusb-1.0-0', '/', 'none');
  assert.notEqual(lacking.status, 0, 'this root has all libraries');
  const alone = run(root, 'apt-get install -y ./poid_*.deb', '/mnt', 'none');
  assert.notEqual(alone.status, 0, 'the package needs nothing that is not there');
  for (const file of globSync('*.deb', { cwd: path.join(dir, `connected-${architecture}/stick`) })) {
    cpSync(path.join(dir, `connected-${architecture}/stick`, file), path.join(stick, file));
  }
  const { status, said } = run(root, procedure('install'), '/', 'none');
  assert.equal(status, 0, said);
  assert.doesNotMatch(said, /E: /);
  const version = run(root, 'poid --version && poid devices', '/', 'none');
  assert.equal(version.status, 0, version.said);
  const broken = run(root, 'dpkg --audit; apt-get check', '/', 'none');
  assert.deepEqual([broken.status, /broken|unmet/i.test(broken.said)], [0, false], broken.said);
});
