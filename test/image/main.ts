import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demandTools } from '../packaging/machine/tools.ts';
import { buildImages } from './machine/images.ts';

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
  'grub-mkimage': 'grub-common and grub-efi-amd64-bin',
} as const;

/**
 * `npm run test:image`: builds an image and bundles, flashes a disk, and updates it in a machine that QEMU emulates.
 * `--all`: and waits until a broken version has been left. `--screen`: the image has a screen, and its display is
 * looked at.
 */
const { values: asked } = parseArgs({
  options: { all: { type: 'boolean', default: false }, screen: { type: 'boolean', default: false } },
});
demandTools('test:image', 'it builds an image', tools);
const work = mkdtempSync(path.join(tmpdir(), 'poid-images-'));
try {
  await buildImages(work, asked.screen);
  const files = globSync('test/image/*.guest.ts', { cwd: root }).toSorted();
  const parameters = ['--test', '--test-timeout=7200000', '--test-reporter=spec', ...files];
  const chosen = { ...(asked.all ? { POID_IMAGE_ALL: '1' } : {}), ...(asked.screen ? { POID_IMAGE_SCREEN: '1' } : {}) };
  const env = { ...process.env, ...chosen, POID_IMAGES: work };
  process.exitCode = spawnSync(process.execPath, parameters, { cwd: root, stdio: 'inherit', env }).status ?? 1;
} finally {
  rmSync(work, { recursive: true });
}
