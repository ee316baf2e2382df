import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseRoot, machineRoot } from '../../packaging/machine/base-root.ts';
import { agentFiles } from './agent.ts';
import type { Hardware } from './guest.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

/** Nobody logs in, and nothing is updated while a test runs. */
const masked =
  `apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
  getty@tty1.service serial-getty@ttyS0.service systemd-logind.service`.split(/\s+/);

const commandLine =
  'root=/dev/vda rootfstype=ext4 rw console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nowatchdog tsc=reliable systemd.show_status=0 fsck.mode=skip';

export interface BaseDisk {
  /** An ext4 file system with a Debian 12 that has an agent. It is read only: a guest writes to an overlay. */
  readonly root: string;
  readonly kernel: NonNullable<Hardware['kernel']>;
}

/** Made once for each choice of packages and agent. */
export function baseDisk(): BaseDisk {
  const from = baseRoot(machineRoot);
  const key = createHash('sha256')
    .update(JSON.stringify([from, agentFiles, masked]))
    .digest('hex')
    .slice(0, 16);
  const kept = path.join(cache, `guest-${key}`);
  if (!existsSync(kept)) makeDisk(from, kept);
  const at = (name: string) => path.join(kept, name);
  return { root: at('root.ext4'), kernel: { image: at('vmlinuz'), initrd: at('initrd.img'), commandLine } };
}

function makeDisk(from: string, kept: string): void {
  const work = mkdtempSync(path.join(cache, 'guest-'));
  const [root, made] = [path.join(work, 'root'), path.join(work, 'made')];
  try {
    mkdirSync(made);
    execFileSync('cp', ['-a', '--reflink=auto', from, root]);
    addAgent(root);
    for (const name of ['vmlinuz', 'initrd.img'])
      copyFileSync(
        globSync(`boot/${name}-*`, { cwd: root }).map((file) => path.join(root, file))[0] ?? name,
        path.join(made, name),
      );
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', root, path.join(made, 'root.ext4'), '3G']);
    renameSync(made, kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function addAgent(root: string): void {
  const units = path.join(root, 'etc/systemd/system');
  for (const { path: file, mode, text } of agentFiles) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    chmodSync(path.join(root, file), mode);
  }
  mkdirSync(path.join(units, 'multi-user.target.wants'), { recursive: true });
  symlinkSync('../test-agent.service', path.join(units, 'multi-user.target.wants/test-agent.service'));
  for (const each of masked) symlinkSync('/dev/null', path.join(units, each));
  writeFileSync(path.join(root, 'etc/hostname'), 'terminal\n');
}

/** A disk that has what `below` has, until it is written to. */
export function overlayDisk(file: string, below: string, format: 'raw' | 'qcow2'): string {
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', below, '-F', format, file]);
  return file;
}
