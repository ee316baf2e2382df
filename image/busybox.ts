import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { BuildError, type Machine } from '../build/addons.ts';
import { debianNames } from '../packaging/deb.ts';

/** Returns a static busybox of that machine: Debian's busybox-static, unpacked in `work`. */
export function busyboxFor(machine: Machine, work: string): string {
  const name = `busybox-static:${debianNames[machine]}`;
  const to = path.join(work, 'busybox');
  const script = 'mkdir -p "$2"; cd "$2"; apt-get download -q "$1" && dpkg-deb -x ./*.deb .';
  try {
    execFileSync('sh', ['-ec', script, 'sh', name, to], { stdio: 'pipe' });
  } catch (error) {
    throw new BuildError(`${name} can't be had from Debian: ${(error as Error).message}`);
  }
  const [file] = globSync('{bin,usr/bin}/busybox', { cwd: to });
  if (file === undefined || !existsSync(path.join(to, file))) throw new BuildError(`${name} has no busybox`);
  return path.join(to, file);
}
