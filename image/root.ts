import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeInitrd } from './initrd.ts';
import { earlyModules, installKernel } from './kernel.ts';
import { runTool } from './tool.ts';

/** What an image has of its own, and what one with a screen has beside it. */
const files = fileURLToPath(new URL('files', import.meta.url));
const screenFiles = fileURLToPath(new URL('screen', import.meta.url));

/** Where slots, the ESP and what is kept are mounted. */
const mountPoints = ['efi', 'state', 'etc/credstore', 'etc/credstore.encrypted'];
const scripts = ['usr/lib/poid-image/{judge-slot,show-page}', 'usr/sbin/poid-update'];
const enabled = [
  'chrony',
  'nftables',
  'systemd-networkd',
  'systemd-resolved',
  'poid-healthy',
  'poid-hostname',
  'poid-update',
  'poid-watchdog',
];
/** Nobody logs in at a console, and what keeps a Debian that can be written in order has nothing to do. */
const masked = [
  'console-getty.service',
  'getty@.service',
  'serial-getty@.service',
  'container-getty@.service',
  'getty.target',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
  'fstrim.timer',
  'systemd-timesyncd.service',
  'systemd-firstboot.service',
  'systemd-update-utmp.service',
  'debug-shell.service',
  'emergency.service',
  'rescue.service',
  // File systems for those who develop kernels, and for programs that a terminal has not.
  'dev-hugepages.mount',
  'dev-mqueue.mount',
  'sys-kernel-debug.mount',
  'sys-kernel-tracing.mount',
  'sys-kernel-config.mount',
  'sys-fs-fuse-connections.mount',
  'modprobe@configfs.service',
  'modprobe@fuse.service',
  // For logins, passwords at a console, and networks that the kernel's command line describes.
  'systemd-user-sessions.service',
  'systemd-update-utmp-runlevel.service',
  'systemd-ask-password-console.path',
  'systemd-ask-password-wall.path',
  'systemd-network-generator.service',
  // The display's session has no services of its own.
  'user@.service',
];
/** Of what makes units at each start, the one that a terminal needs: its file systems are in /etc/fstab, and nothing looks for others. */
const generator = 'systemd-fstab-generator';
/** What dpkg and the tools leave behind, with dates in it. */
const leavings = [
  'var/log/**/*.log',
  'var/cache/**/*.bin',
  'var/cache/ldconfig/*',
  'var/lib/dpkg/*-old',
  'etc/*-',
  'var/lib/apt/lists/*',
  'var/cache/apt/archives/*.deb',
  'var/cache/debconf/*-old',
  'var/lib/systemd/catalog/*',
  'etc/ssl/certs/java',
  'packages',
  // The sources of hwdb.bin.
  'usr/lib/udev/hwdb.d',
  'var/cache/fontconfig/*',
  'etc/machine-id',
  'var/lib/dbus/machine-id',
  'run/*',
  'tmp/*',
];

export interface RootOptions {
  /** Of makeBase. */
  readonly base: string;
  /** Files of Debian packages, `poid` among them. */
  readonly packages: readonly string[];
  readonly version: string;
  /** Which machines take an update: RAUC's word. */
  readonly compatible: string;
  /** The certificate whose bundles are taken. */
  readonly certificate: string;
  /** Where the kernel, busybox and GRUB go: an image has its own way to start. */
  readonly bootParts: string;
  /** Whether it shows the terminal's page on a display. */
  readonly hasScreen: boolean;
  readonly epoch: number;
}

/** Fills `tree` with the system of a slot. */
export function makeRoot(tree: string, options: RootOptions): void {
  const { base, packages, version, compatible, certificate, bootParts, hasScreen, epoch } = options;
  mkdirSync(tree, { recursive: true });
  runTool('tar', ['-C', tree, '--numeric-owner', '-xf', base]);
  renameSync(path.join(tree, 'boot-parts'), bootParts);
  const kernel = installKernel(tree, bootParts);
  for (const each of hasScreen ? [files, screenFiles] : [files]) {
    runTool('cp', ['-r', '--no-preserve=ownership,timestamps', `${each}/.`, tree]);
  }
  for (const each of mountPoints) mkdirSync(path.join(tree, each), { recursive: true });
  for (const each of ['etc/credstore', 'etc/credstore.encrypted']) chmodSync(path.join(tree, each), 0o700);
  for (const each of globSync(scripts, { cwd: tree })) chmodSync(path.join(tree, each), 0o755);
  runTool('systemd-sysusers', [`--root=${tree}`, '00-terminal.conf']);
  installPackages(tree, packages);
  for (const each of keptPaths(tree)) mkdirSync(path.join(tree, each), { recursive: true });
  writeFileSync(path.join(tree, 'usr/lib/poid-image/version'), `${version}\n`);
  // Where the terminal looks whether this version was accepted (judge-slot).
  symlinkSync('/state/accepted', path.join(tree, 'usr/lib/poid-image/accepted'));
  const template = path.join(tree, 'etc/rauc/system.conf.in');
  writeFileSync(
    path.join(tree, 'etc/rauc/system.conf'),
    readFileSync(template, 'utf8').replace('@COMPATIBLE@', compatible),
  );
  rmSync(template);
  cpSync(certificate, path.join(tree, 'etc/rauc/keyring.pem'));
  writeFileSync(path.join(tree, 'etc/hostname'), 'terminal\n');
  runTool('systemctl', [`--root=${tree}`, '--quiet', 'enable', ...enabled]);
  runTool('systemctl', [`--root=${tree}`, '--quiet', 'mask', ...masked]);
  maskGenerators(tree);
  for (const each of globSync(leavings, { cwd: tree })) rmSync(path.join(tree, each), { recursive: true });
  symlinkSync('/etc/machine-id', path.join(tree, 'var/lib/dbus/machine-id'));
  // systemd takes the number that the initrd mounts here.
  writeFileSync(path.join(tree, 'etc/machine-id'), '');
  const busybox = path.join(bootParts, 'bin/busybox');
  makeInitrd(path.join(tree, 'boot/initrd'), { busybox, modules: earlyModules(tree, kernel), epoch });
  checkUsers(tree);
}

function installPackages(tree: string, packages: readonly string[]): void {
  const offered = path.join(tree, 'packages');
  mkdirSync(offered);
  for (const each of packages) cpSync(each, path.join(offered, path.basename(each)));
  const names = readdirSync(offered).map((each) => `/packages/${each}`);
  // Their scripts need /proc: a mount that nobody else sees, and that ends with them.
  const inside = ['--mount', '--pid', '--fork', `--root=${tree}`, '--mount-proc'];
  runTool('unshare', [...inside, 'dpkg', '--install', ...names]);
}

/** Each is a process of its own at every start (systemd.generator(7)). */
function maskGenerators(tree: string): void {
  const to = path.join(tree, 'etc/systemd/system-generators');
  mkdirSync(to, { recursive: true });
  for (const each of readdirSync(path.join(tree, 'usr/lib/systemd/system-generators'))) {
    if (each !== generator) symlinkSync('/dev/null', path.join(to, each));
  }
}

/** What the initrd takes from the state partition: a line each in the files of kept.d. */
function keptPaths(tree: string): string[] {
  const home = path.join(tree, 'usr/lib/poid-image/kept.d');
  return readdirSync(home).flatMap((each) => readFileSync(path.join(home, each), 'utf8').trimEnd().split('\n'));
}

/** Nobody logs in with an empty password. Throws where somebody could. */
function checkUsers(tree: string): void {
  const lines = readFileSync(path.join(tree, 'etc/shadow'), 'utf8').trimEnd().split('\n');
  const open = lines.map((line) => line.split(':')).filter(([, password]) => password === '');
  if (open.length > 0) throw new Error(`no password: ${open.map(([name]) => name).join(', ')}`);
  if (existsSync(path.join(tree, 'usr/sbin/sshd'))) throw new Error('the image has an SSH server');
}

/** Packs a tree as the content of a slot. GRUB reads gzip, of which `compression` is the level. The same tree gives the same bytes. */
export function packSlot(
  tree: string,
  file: string,
  { compression, epoch }: { readonly compression: string; readonly epoch: number },
): void {
  rmSync(file, { force: true });
  const { SOURCE_DATE_EPOCH: _, ...env } = process.env;
  const times = ['-all-time', String(epoch), '-mkfs-time', String(epoch)];
  const parameters = [
    tree,
    file,
    '-comp',
    'gzip',
    '-Xcompression-level',
    compression,
    '-noappend',
    '-no-xattrs',
    ...times,
  ];
  runTool('mksquashfs', [...parameters, '-no-progress', '-quiet'], { env });
}
