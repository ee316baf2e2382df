import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheDir as cache } from '../../../build/cache-dir.ts';
import { baseRoot, kernelRoot, terminalRoot } from '../../packaging/machine/base-root.ts';
import { agentFiles } from './agent.ts';
import type { Hardware } from './guest.ts';
import { installModules, sources, writeInitrd, writeKernel } from './kernel.ts';

/** Nobody logs in, nothing is updated, and nothing is looked for that an emulated machine does not have. */
const masked =
  `apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
  getty@tty1.service serial-getty@ttyS0.service systemd-logind.service dev-hugepages.mount dev-mqueue.mount
  sys-kernel-debug.mount sys-kernel-tracing.mount systemd-update-utmp.service systemd-update-utmp-runlevel.service
  systemd-machine-id-commit.service systemd-binfmt.service modprobe@dm_mod.service modprobe@drm.service
  modprobe@efi_pstore.service modprobe@fuse.service modprobe@loop.service`.split(/\s+/);

/** Each is a process at every start and reload; this one masks what the kernel's command line says (systemd.generator(7)). */
const generator = 'systemd-debug-generator';

/** Consoles, of which there are a hundred, are not announced a second time. */
const coldPlug = `[Service]
ExecStart=
ExecStart=-udevadm trigger --type=all --action=add --prioritized-subsystem=block --subsystem-nomatch=tty --subsystem-nomatch=vc
`;

/** No till looks for a terminal in here by Avahi, and a start may take long. */
const dropIns = {
  'systemd-udev-trigger.service': coldPlug,
  'poid.service': '[Service]\nExecStartPost=\nTimeoutStartSec=900\n',
} as const;

/**
 * What an emulated processor need not do: fill fresh memory with zeros, look after its own faults, audit. Where each process
 * has its code at the same address (norandmaps), QEMU has translated it already.
 */
const commandLine = [
  'console=ttyS0 quiet loglevel=3 panic=-1 8250.nr_uarts=2 mitigations=off init_on_alloc=0 audit=0 lsm=',
  'nowatchdog tsc=reliable rcupdate.rcu_expedited=1 random.trust_cpu=on systemd.show_status=0 fsck.mode=skip norandmaps rw',
].join(' ');

export interface BaseDisk {
  /** An ext4 file system with a Debian 12 that has an agent. It is read only: a guest writes to an overlay. */
  readonly root: string;
  readonly kernel: NonNullable<Hardware['kernel']>;
}

/** Made once for each choice of packages and agent. */
export function baseDisk(): BaseDisk {
  const roots = [terminalRoot, kernelRoot].map(baseRoot);
  const made = [roots, agentFiles, masked, generator, dropIns, sources.map((each) => readFileSync(each, 'utf8'))];
  const key = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16);
  const kept = path.join(cache, `guest-${key}`);
  if (!existsSync(kept)) makeDisk(kept);
  const at = (name: string) => path.join(kept, name);
  return { root: at('root.ext4'), kernel: { image: at('vmlinux'), initrd: at('initrd.img'), commandLine } };
}

function makeDisk(kept: string): void {
  const work = mkdtempSync(path.join(cache, 'guest-'));
  const [root, made] = [path.join(work, 'root'), path.join(work, 'made')];
  try {
    mkdirSync(made);
    const version = makeTree(root);
    const kernel = baseRoot(kernelRoot);
    writeKernel(kernel, path.join(made, 'vmlinux'));
    writeInitrd(root, version, path.join(made, 'initrd.img'));
    writeDisk(root, path.join(made, 'root.ext4'));
    renameSync(made, kept);
  } catch (error) {
    // Another test has made it meanwhile.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What is on the disk, as a directory. Returns the kernel's version. */
export function makeTree(root: string): string {
  execFileSync('cp', ['-a', '--reflink=auto', baseRoot(terminalRoot), root]);
  addAgent(root);
  return installModules(baseRoot(kernelRoot), root);
}

export function writeDisk(root: string, file: string): void {
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', root, file, '3G']);
}

function addAgent(root: string): void {
  const units = path.join(root, 'etc/systemd/system');
  for (const { path: file, mode, text } of agentFiles) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    chmodSync(path.join(root, file), mode);
  }
  for (const [unit, text] of Object.entries(dropIns)) {
    mkdirSync(path.join(units, `${unit}.d`), { recursive: true });
    writeFileSync(path.join(units, `${unit}.d/guest.conf`), text);
  }
  mkdirSync(path.join(units, 'multi-user.target.wants'), { recursive: true });
  symlinkSync('../test-agent.service', path.join(units, 'multi-user.target.wants/test-agent.service'));
  const generators = path.join(root, 'etc/systemd/system-generators');
  mkdirSync(generators);
  for (const each of readdirSync(path.join(root, 'usr/lib/systemd/system-generators'))) {
    if (each !== generator) symlinkSync('/dev/null', path.join(generators, each));
  }
  for (const each of masked) symlinkSync('/dev/null', path.join(units, each));
  writeFileSync(path.join(root, 'etc/hostname'), 'terminal\n');
}

/** A disk that has what `below` has, until it is written to. */
export function overlayDisk(file: string, below: string, format: 'raw' | 'qcow2'): string {
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', below, '-F', format, file]);
  return file;
}
