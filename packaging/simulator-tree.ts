import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { PackageTree } from './deb.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The simulator as one file, on the daemon's runtime. */
export async function makeSimulatorTree(tree: string, version: string): Promise<PackageTree> {
  const home = path.join(tree, 'usr/lib/poid-sim');
  mkdirSync(home, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: ['hw-sim/main.ts'],
    outfile: path.join(home, 'hw-sim/main.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Without it, esbuild writes where each module was found.
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
    logLevel: 'warning',
  });
  // Looked for beside it: hw-sim/main.ts, hw-sim/printer and hw-sim/bench.
  cpSync(path.join(root, 'hw-sim/printer/glyphs.hex'), path.join(home, 'hw-sim/glyphs.hex'));
  cpSync(path.join(root, 'hw-sim/page'), path.join(home, 'page'), { recursive: true });
  cpSync(path.join(root, 'fixtures'), path.join(home, 'fixtures'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(home, 'package.json'));
  mkdirSync(path.join(tree, 'usr/bin'));
  writeFileSync(path.join(tree, 'usr/bin/poid-sim'), launcher);
  chmodSync(path.join(tree, 'usr/bin/poid-sim'), 0o755);
  const rules = path.join(tree, 'lib/udev/rules.d');
  mkdirSync(rules, { recursive: true });
  cpSync(path.join(root, 'packaging/debian/poid-sim.rules'), path.join(rules, '61-poid-sim.rules'));
  const doc = path.join(tree, 'usr/share/doc/poid-sim');
  mkdirSync(doc, { recursive: true });
  cpSync(path.join(root, 'LICENSE'), path.join(doc, 'copyright'));
  cpSync(path.join(root, 'docs/simulator.md'), path.join(doc, 'README.md'));
  return {
    tree,
    name: 'poid-sim',
    architecture: 'all',
    depends: [`poid (= ${version})`, 'perl-base'],
    description: [
      'hardware simulator of the poid payment service',
      'Card readers, printer, scanner, Octopus reader and hosts of acquirers, for',
      'development and tests. It holds published test keys and test cards only.',
    ],
    scripts: {},
  };
}

const launcher = `#!/bin/sh
exec /usr/lib/poid/bin/node /usr/lib/poid-sim/hw-sim/main.js "$@"
`;
