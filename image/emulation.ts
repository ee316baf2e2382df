import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BuildError, type Machine } from '../build/addons.ts';
import { runTool } from './tool.ts';

/** Linux asks here which program runs the programs of another machine (binfmt_misc). */
const registry = '/proc/sys/fs/binfmt_misc';
/** Of Debian's qemu-user-static. systemd registers it where a machine is started by systemd. */
const descriptions = {
  x64: '/usr/lib/binfmt.d/qemu-x86_64.conf',
  arm64: '/usr/lib/binfmt.d/qemu-aarch64.conf',
} as const;

/**
 * Lets this machine run programs of `machine`, which install themselves in an image of it. What is registered stays until
 * this machine is started anew. Throws BuildError.
 */
export function emulate(machine: Machine): void {
  if (machine === process.arch) return;
  const description = descriptions[machine];
  if (!existsSync(description)) {
    throw new BuildError(`${description} is missing: an image of another machine needs Debian's qemu-user-static`);
  }
  if (!existsSync(path.join(registry, 'register'))) runTool('mount', ['-t', 'binfmt_misc', 'binfmt_misc', registry]);
  if (existsSync(path.join(registry, path.basename(description, '.conf')))) return;
  const [line = ''] = readFileSync(description, 'utf8')
    .split('\n')
    .filter((each) => each.startsWith(':'));
  writeFileSync(path.join(registry, 'register'), line);
}
