import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demandTools } from '../packaging/machine/tools.ts';
import { baseDisk } from './machine/base-disk.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Programs, and the Debian packages that have them. */
const tools = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  'systemd-nspawn': 'systemd-container',
  mmdebstrap: 'mmdebstrap',
  mke2fs: 'e2fsprogs',
  cpio: 'cpio',
  xz: 'xz-utils',
  depmod: 'kmod',
  cc: 'gcc and libc6-dev',
} as const;

const { values, positionals } = parseArgs({
  options: { guests: { type: 'string', default: '2' } },
  allowPositionals: true,
});

/**
 * `npm run test:firmware -- [--guests N] [FILE…]`: builds the packages, installs them in a machine that QEMU emulates,
 * and tries there what a container can't show, in N machines at a time.
 */
demandTools('test:firmware', 'it makes the disk of a guest', tools);
const work = mkdtempSync(path.join(tmpdir(), 'poid-firmware-'));
try {
  const build = ['--compression', 'none', '--arch', 'amd64'];
  const packaging = spawn(process.execPath, [path.join(root, 'packaging/main.ts'), work, ...build], {
    stdio: 'inherit',
  });
  const packaged = once(packaging, 'close') as Promise<[code: number]>;
  // A processor is left for that.
  baseDisk();
  const [code] = await packaged;
  if (code !== 0) throw new Error('the packages were not built');
  const debs = globSync('*.deb', { cwd: work });
  execFileSync('tar', ['-C', work, '-cf', path.join(work, 'packages.tar'), ...debs]);
  process.env['POID_FIRMWARE'] = work;
  const { makeReadyDisk } = await import('./machine/ready-disk.ts');
  await makeReadyDisk();
  const asked = positionals.map((each) => path.relative(root, path.resolve(each)));
  const all = globSync('test/firmware/*.guest.ts', { cwd: root }).toSorted();
  process.exitCode = run(asked.length > 0 ? asked : all);
} finally {
  rmSync(work, { recursive: true });
}

/** The exit code of the test files. Each has a guest of its own. */
function run(files: readonly string[]): number {
  const parameters = [
    '--test',
    `--test-concurrency=${values.guests}`,
    '--test-timeout=3600000',
    '--test-reporter=spec',
    ...files,
  ];
  return spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
