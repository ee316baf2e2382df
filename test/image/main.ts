import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demandTools } from '../packaging/machine/tools.ts';
import { buildBundles, buildFirst } from './machine/images.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Programs, and the Debian packages that have them. */
const tools = {
  'qemu-system-x86_64': 'qemu-system-x86 and ovmf',
  mmdebstrap: 'mmdebstrap',
  mksquashfs: 'squashfs-tools',
  unsquashfs: 'squashfs-tools',
  rauc: 'rauc',
  openssl: 'openssl',
  cpio: 'cpio',
  depmod: 'kmod',
  sfdisk: 'fdisk',
  'mkfs.vfat': 'dosfstools',
  'mkfs.ext4': 'e2fsprogs',
  mcopy: 'mtools',
  'grub-mkimage': 'grub-common',
} as const;

/**
 * `npm run test:image`: builds an image and bundles, flashes a disk, and updates it in a machine that QEMU emulates.
 * `--all`: a broken version has all its tries. `--screen`: builds an image with a screen instead, and looks at the display
 * after `--starts` cold starts. `--only WORDS`: only the tests whose names have these words, any number of times; the first test,
 * `flashed`, begins what the others go on with.
 */
const { values: asked } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    screen: { type: 'boolean', default: false },
    starts: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
demandTools('test:image', 'it builds an image', tools);
const work = mkdtempSync(path.join(tmpdir(), 'poid-images-'));
try {
  await buildFirst(work, asked.screen);
  if (!asked.screen) await buildBundles(work);
  const file = path.join(root, 'test/image', asked.screen ? 'screen.guest.ts' : 'update.guest.ts');
  const chosenTests = patterns(asked.only, file);
  const parameters = ['--test', '--test-timeout=7200000', '--test-reporter=spec', ...chosenTests, file];
  const chosen = { POID_IMAGE_STARTS: asked.starts, ...(asked.all ? { POID_IMAGE_ALL: '1' } : {}) };
  const env = { ...process.env, ...chosen, POID_IMAGES: work };
  process.exitCode = spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit', env }).status ?? 1;
} finally {
  rmSync(work, { recursive: true });
}

/** Parameters for tests whose titles have these words, of which each must be in one. */
function patterns(words: readonly string[], file: string): string[] {
  const titles = Array.from(readFileSync(file, 'utf8').matchAll(/^test\('([^']+)'/gm), ([, title = '']) => title);
  for (const each of words) {
    const isThere = titles.some((title) => title.includes(each));
    if (!isThere) throw new Error(`no test has "${each}" in its name:\n${titles.join('\n')}`);
  }
  return words.map((each) => `--test-name-pattern=${each}`);
}
