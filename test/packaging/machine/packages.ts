import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where test/packaging/main.ts has built the packages. */
export const built = process.env['POID_PACKAGES'] ?? '';

const own = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The file of a package in `dir`; that of another machine by its name. */
export function packageFile(
  name: 'poid' | 'poid-sim',
  dir = built,
  architecture = name === 'poid' ? own : 'all',
): string {
  const pattern = new RegExp(`^${name}_[^_]+_${architecture}\\.deb$`);
  const file = readdirSync(dir).find((each) => pattern.test(each));
  if (file === undefined) throw new Error(`there is no package ${name} for ${architecture} in ${dir}`);
  return path.join(dir, file);
}

/** Writes the same packages under a later version to `dir`. */
export function repackAs(version: string, dir: string): void {
  for (const name of ['poid', 'poid-sim'] as const) {
    const tree = path.join(dir, 'tree');
    execFileSync('dpkg-deb', ['-R', packageFile(name), tree]);
    const control = path.join(tree, 'DEBIAN/control');
    const text = readFileSync(control, 'utf8')
      .replace(/^Version: .*$/m, `Version: ${version}`)
      .replace(/poid \(= [^)]+\)/, `poid (= ${version})`);
    writeFileSync(control, text);
    const file = path.join(dir, `${name}_${version}_${name === 'poid' ? own : 'all'}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
    rmSync(tree, { recursive: true });
  }
}
