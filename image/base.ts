import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BuildError, type Machine } from '../build/addons.ts';
import { debianNames } from '../packaging/deb.ts';

/** What a terminal's system is made of, beside the project's own packages. */
const packages = [
  // What systemd needs to start it and to know its devices and its network.
  'systemd',
  'systemd-sysv',
  'systemd-resolved',
  'udev',
  'dbus',
  'kmod',
  'iproute2',
  'tzdata',
  'ca-certificates',
  // What the package `poid` depends on.
  'libstdc++6',
  'libgcc-s1',
  'libusb-1.0-0',
  'libudev1',
  'chrony',
  'nftables',
  'curl',
  // Updates: RAUC writes the slots, and tells GRUB by grub-editenv.
  'rauc',
  'rauc-service',
  'grub-common',
];

/** What shows the terminal's page on a display of its own. */
const screenPackages = [
  // weston needs a session of systemd-logind, which libpam-systemd opens. chromium is the one browser of Debian that gets the
  // fixes of its makers within days.
  'weston',
  'libpam-systemd',
  'chromium',
  'fonts-dejavu-core',
  // The page speaks Chinese too: 5 MB, of Noto's it would be 90.
  'fonts-wqy-microhei',
];

/** What weston would need to show a display elsewhere, or to film it: 90 MB. Its parts that do are loaded only where they are asked for. */
const remoteDisplay = [
  'freerdp',
  'winpr',
  'avcodec',
  'avutil',
  'swresample',
  'codec2',
  'x264',
  'x265',
  'mfx',
  'SvtAv1Enc',
  'rav1e',
];

/** Nobody reads these on a terminal; licences stay. Its screen is drawn by the processor: no drivers that draw, no compilers of theirs. */
const excluded = [
  ...['man', 'locale', 'doc', 'info', 'help', 'lintian', 'bug', 'gtk-doc', 'icons/Adwaita/cursors'].map(
    (each) => `share/${each}/*`,
  ),
  ...['dri/*', 'libLLVM-*', 'libz3.so*', 'mfx/*', ...remoteDisplay.map((each) => `lib${each}*`)].map(
    (each) => `lib/*-linux-gnu/${each}`,
  ),
  ...['libVkLayer_*', 'libvk_swiftshader*'].map((each) => `lib/chromium/${each}`),
].map((each) => `--dpkgopt=path-exclude=/usr/${each}`);

/**
 * Unpacked beside the system, not installed: the installation of a kernel would build an initrd of Debian's, with the time
 * in it. The image has one of its own, of busybox, and GRUB is on the ESP.
 */
const unpackBoot = (
  architecture: string,
) => `export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG; mkdir "$1/boot-parts"; cd "$1/boot-parts"
apt-get download -q $(apt-cache depends linux-image-${architecture} | sed -n 's/^  Depends: //p') \\
  busybox-static grub-efi-${architecture}-bin
for each in *.deb; do dpkg-deb -x "$each" .; done; rm ./*.deb`;

export interface BaseOptions {
  readonly machine: Machine;
  /** With what shows the page on a display. */
  readonly hasScreen: boolean;
  readonly epoch: number;
}

/**
 * Writes a Debian 12 with all these as a tar, and below /boot-parts a kernel, busybox and GRUB: the same bytes as long as
 * Debian has the same versions.
 */
export function makeBase(file: string, { machine, hasScreen, epoch }: BaseOptions): void {
  if (existsSync(file)) return;
  const architecture = debianNames[machine];
  mkdirSync(path.dirname(file), { recursive: true });
  const work = mkdtempSync(path.join(path.dirname(file), 'base-'));
  const made = path.join(work, 'base.tar');
  const parameters = [
    '--quiet',
    '--variant=minbase',
    `--architectures=${architecture}`,
    `--include=${(hasScreen ? [...packages, ...screenPackages] : packages).join(',')}`,
    '--aptopt=Acquire::Languages "none"',
    ...excluded,
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    `--customize-hook=${unpackBoot(architecture)}`,
  ];
  try {
    execFileSync('mmdebstrap', [...parameters, 'bookworm', made], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(made, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BuildError(code === 'ENOENT' ? 'mmdebstrap is missing (Debian: mmdebstrap)' : message);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
