import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { arm64Libraries, bareRoot, baseRoot, terminalRoot } from './machine/base-root.ts';
import { parseTier } from '../run/files.ts';
import { demandTools } from './machine/tools.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Programs, and the Debian packages that have them. */
const tools = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  nsenter: 'util-linux',
  'qemu-aarch64-static': 'qemu-user-static',
  'aarch64-linux-gnu-gcc': 'gcc-aarch64-linux-gnu',
  lintian: 'lintian',
} as const;

/** `--tier commit` leaves these out: together they take as long as all others. */
const fullTierOnly: ReadonlySet<string> = new Set([
  'test/packaging/documented.nspawn.ts',
  'test/packaging/offline.nspawn.ts',
  'test/packaging/taken-over.nspawn.ts',
]);

/**
 * `npm run test:package -- [--tier commit] [FILE…]`: builds the packages, and tests them in containers that systemd has
 * started.
 */
const { isCommit, rest: asked } = parseTier();
demandTools('test:package', 'it starts containers', tools);
const packages = mkdtempSync(path.join(tmpdir(), 'poid-packages-'));
try {
  const build = ['--compression', 'none', '--arch', 'amd64', '--arch', 'arm64'];
  execFileSync(process.execPath, [path.join(root, 'packaging/main.ts'), packages, ...build], { stdio: 'inherit' });
  for (const each of [terminalRoot, bareRoot, arm64Libraries]) baseRoot(each);
  const all = globSync('test/packaging/*.nspawn.ts', { cwd: root }).toSorted();
  const inTier = all.filter((file) => !isCommit || !fullTierOnly.has(file));
  const files = asked.length > 0 ? asked : inTier;
  const parameters = ['--test', '--test-concurrency=2', '--test-timeout=400000', '--test-reporter=spec', ...files];
  const env = { ...process.env, POID_PACKAGES: packages };
  process.exitCode = spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit', env }).status ?? 1;
} finally {
  rmSync(packages, { recursive: true });
}
