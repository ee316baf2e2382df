import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { readVersion } from '../../build/version.ts';
import { install } from '../support/installed.ts';
import { root } from './files.ts';

/** Builds in `tree` what the tests start again and again: the terminal as it is installed, and the simulator as one file. */
export async function buildPrograms(tree: string): Promise<void> {
  await Promise.all([install(tree), bundleSimulator(tree)]);
  // `poid sim` and `poid run --sim` of the installed command look for the simulator here.
  await mkdir(path.join(tree, 'hw-sim'));
  await writeFile(path.join(tree, 'hw-sim/main.ts'), `import '../simulator/bundle/main.js';\n`);
}

async function bundleSimulator(tree: string): Promise<void> {
  const dir = path.join(tree, 'simulator');
  await mkdir(path.join(dir, 'bundle'), { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: ['hw-sim/main.ts'],
    outdir: path.join(dir, 'bundle'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['node-hid', 'serialport'],
    define: { 'process.env.POID_VERSION': JSON.stringify(readVersion().text) },
    // Packages that are CommonJS call it for Node's own modules.
    banner: { js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
    logLevel: 'warning',
  });
  await copyFile(path.join(root, 'hw-sim/printer/glyphs.hex'), path.join(dir, 'bundle/glyphs.hex'));
  for (const [name, target] of [
    ['page', 'hw-sim/page'],
    ['fixtures', 'fixtures'],
    ['node_modules', 'node_modules'],
  ] as const) {
    await symlink(path.join(root, target), path.join(dir, name));
  }
}
