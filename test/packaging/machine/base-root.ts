import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheDir as cache } from '../../../build/cache-dir.ts';

interface RootDescription {
  readonly variant: 'minbase' | 'extract';
  readonly architecture: string;
  readonly packages: readonly string[];
  /** Shell commands that run once the essential packages are unpacked; `$1` is the root. */
  readonly hooks?: readonly string[];
}

/** What a terminal's Debian 12 has before the package comes: systemd, what the package depends on, and what a machine's disk needs. */
export const terminalRoot: RootDescription = {
  variant: 'minbase',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  packages: ['systemd', 'systemd-sysv', 'udev', 'dbus', 'libstdc++6', 'libusb-1.0-0', 'curl', 'kmod', 'e2fsprogs'],
};

/** A bare Debian 12: it lacks libraries that the package depends on. */
export const bareRoot: RootDescription = {
  variant: 'minbase',
  architecture: terminalRoot.architecture,
  packages: ['systemd', 'systemd-sysv', 'udev'],
};

/** Debian's kernel, unpacked: nothing runs on the machine that unpacks it, and no initrd is made. */
export const kernelRoot: RootDescription = {
  variant: 'extract',
  architecture: 'amd64',
  packages: [],
  hooks: [
    `export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG; cd "$1"
    apt-get download -q $(apt-cache depends linux-image-amd64 | sed -n 's/^  Depends: //p')
    for each in *.deb; do dpkg-deb -x "$each" .; done; rm ./*.deb`,
  ],
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
  const { variant, architecture, packages, hooks = [] } = described;
  const what = [
    `--variant=${variant}`,
    `--architectures=${architecture}`,
    ...(packages.length === 0 ? [] : [`--include=${packages.join(',')}`]),
    ...hooks.map((command) => `--extract-hook=${command}`),
  ];
  try {
    execFileSync('mmdebstrap', ['--quiet', ...what, 'bookworm', root], { stdio: 'inherit' });
    if (variant === 'minbase') writeFileSync(path.join(root, 'etc/machine-id'), `${machineId}\n`);
    renameSync(root, kept);
  } catch (error) {
    // Another script has made it meanwhile.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return kept;
}
