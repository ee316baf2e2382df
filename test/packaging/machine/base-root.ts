import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

interface RootDescription {
  readonly variant: 'minbase' | 'extract';
  readonly architecture: string;
  readonly packages: readonly string[];
  /** Shell commands that run between the essential packages and the others; `$1` is the root. */
  readonly before?: readonly string[];
  /** Paths that dpkg leaves out. */
  readonly without?: readonly string[];
}

/** What a terminal's Debian 12 has before the package comes: systemd, and what the package depends on. */
export const terminalRoot: RootDescription = {
  variant: 'minbase',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  packages: ['systemd', 'systemd-sysv', 'udev', 'dbus', 'libstdc++6', 'libusb-1.0-0', 'curl'],
};

const initrdSettings = '"$1/etc/initramfs-tools"';

/** The same as a machine of its own: with Debian's kernel, an initrd for virtio disks, and what makes file systems. */
export const machineRoot: RootDescription = {
  ...terminalRoot,
  packages: [...terminalRoot.packages, 'linux-image-amd64', 'kmod', 'e2fsprogs'],
  before: [
    `mkdir -p ${initrdSettings}/conf.d`,
    `printf 'MODULES=list\\nCOMPRESS=gzip\\nRESUME=none\\nFSTYPE=ext4\\n' > ${initrdSettings}/conf.d/guest`,
    `printf 'virtio_pci\\nvirtio_blk\\next4\\n' > ${initrdSettings}/modules`,
  ],
  // The kernel itself names the disk: an initrd with udev would look at each device twice.
  without: ['/usr/share/initramfs-tools/hooks/udev', '/usr/share/initramfs-tools/scripts/*/udev'],
};

/** The libraries of a terminal on arm64, unpacked and never configured: nothing of them runs on this machine by itself. */
export const arm64Libraries: RootDescription = {
  variant: 'extract',
  architecture: 'arm64',
  packages: ['libc6', 'libstdc++6', 'libgcc-s1', 'libusb-1.0-0', 'libudev1'],
};

/** Any: with one, systemd asks nothing at its first start. */
const machineId = '0123456789abcdef0123456789abcdef';

/** A Debian 12 as a directory, made once for each list of packages. It is copied, never started. */
export function baseRoot(described: RootDescription): string {
  const key = createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 16);
  const kept = path.join(cache, `debian-${described.architecture}-${key}`);
  if (existsSync(kept)) return kept;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(cache, 'debian-'));
  const root = path.join(work, 'root');
  const { variant, architecture, packages, before = [], without = [] } = described;
  const what = [
    `--variant=${variant}`,
    `--architectures=${architecture}`,
    `--include=${packages.join(',')}`,
    ...before.map((command) => `--essential-hook=${command}`),
    ...without.map((each) => `--dpkgopt=path-exclude=${each}`),
  ];
  try {
    execFileSync('mmdebstrap', ['--quiet', ...what, 'bookworm', root], { stdio: 'inherit' });
    if (variant === 'minbase') writeFileSync(path.join(root, 'etc/machine-id'), `${machineId}\n`);
    renameSync(root, kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return kept;
}
