import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, checkPackagedAddons, type Machine } from '../build/addons.ts';
import { cacheDir } from '../build/cache-dir.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const inputs = ['package.json', 'package-lock.json'] as const;

/**
 * Returns the directory with the installed packages for that machine: the project's own, or for another machine one of
 * its own that npm fills and that is kept until the lock file changes. npm leaves out silently what a registry lacks, so
 * runtime and addons are checked. Throws BuildError, also where one is missing.
 */
export async function installModules(machine: Machine, cache = cacheDir): Promise<string> {
  const modules = machine === process.arch ? path.join(root, 'node_modules') : installForeign(machine, cache);
  await checkModules(modules, machine);
  return modules;
}

/** Rejects with BuildError where the runtime or an addon for that machine is missing. */
export async function checkModules(modules: string, machine: Machine): Promise<void> {
  if (!existsSync(runtimeProgram(modules, machine))) {
    throw new BuildError(`the runtime for ${machine} is missing: npm has left out node-linux-${machine}`);
  }
  await checkPackagedAddons(modules, machine);
}

export function runtimeProgram(modules: string, machine: Machine): string {
  return path.join(modules, `node-linux-${machine}/bin/node`);
}

function installForeign(machine: Machine, cache: string): string {
  const locked = createHash('sha256');
  for (const each of inputs) locked.update(readFileSync(path.join(root, each)));
  const kept = path.join(cache, `packages-${machine}-${locked.digest('hex').slice(0, 16)}`);
  if (existsSync(kept)) return path.join(kept, 'node_modules');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(cache, 'packages-'));
  try {
    for (const each of inputs) cpSync(path.join(root, each), path.join(work, each));
    const target = ['--os=linux', `--cpu=${machine}`, '--libc=glibc'];
    const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'];
    execFileSync('npm', ['ci', ...target, ...quiet], { cwd: work, stdio: 'pipe' });
    renameSync(work, kept);
  } catch (error) {
    rmSync(work, { recursive: true });
    const { stderr } = error as { stderr?: Buffer };
    throw new BuildError(
      `npm can't install the packages for ${machine}: ${stderr?.toString().trim() ?? 'npm is missing'}`,
    );
  }
  return path.join(kept, 'node_modules');
}
