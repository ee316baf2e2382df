import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf } from '../../packaging/modules.ts';
import { sbomOf, type SbomParts } from '../../packaging/sbom.ts';
import { runtimeProgram } from '../../packaging/target-modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const modules = path.join(root, 'node_modules');
const machine = process.arch === 'arm64' ? 'arm64' : 'x64';

/** The list of contents of this checkout's package, with the runtime as npm has brought it. */
export function ownSbom(more: Partial<SbomParts> = {}): string {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const runtime = `node-linux-${machine}`;
  const direct = Object.keys(dependencies);
  return sbomOf('poid', {
    version: '1.2.3',
    modules,
    packages: [...closureOf(modules, direct), ...closureOf(modules, [runtime])],
    direct,
    runtime,
    shippedRuntime: runtimeProgram(modules, machine),
    versions: process.versions,
    lockFile: path.join(root, 'package-lock.json'),
    ...more,
  });
}
