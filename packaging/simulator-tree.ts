import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isPageFile } from '../build/page-files.ts';
import { maintainerScripts, type PackageTree, type Release } from './deb.ts';
import { writeDocuments } from './documents.ts';
import { installSimulatorDocument } from './installed-documents.ts';
import { writeManifest } from './modules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The simulator as one file, on the daemon's runtime. */
export async function makeSimulatorTree(tree: string, { version, npmVersion, epoch }: Release): Promise<PackageTree> {
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
    define: { 'process.env.POID_VERSION': JSON.stringify(version) },
    banner: { js: `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
    logLevel: 'warning',
  });
  // Looked for beside it: hw-sim/main.ts, hw-sim/printer and hw-sim/bench.
  cpSync(path.join(root, 'hw-sim/printer/glyphs.hex'), path.join(home, 'hw-sim/glyphs.hex'));
  cpSync(path.join(root, 'hw-sim/page'), path.join(home, 'page'), { recursive: true, filter: isPageFile });
  cpSync(path.join(root, 'fixtures'), path.join(home, 'fixtures'), { recursive: true });
  writeManifest(home, npmVersion);
  mkdirSync(path.join(tree, 'usr/bin'));
  writeFileSync(path.join(tree, 'usr/bin/poid-sim'), launcher);
  chmodSync(path.join(tree, 'usr/bin/poid-sim'), 0o755);
  const rules = path.join(tree, 'lib/udev/rules.d');
  mkdirSync(rules, { recursive: true });
  cpSync(path.join(root, 'packaging/debian/poid-sim.rules'), path.join(rules, '61-poid-sim.rules'));
  const units = path.join(tree, 'lib/systemd/system');
  mkdirSync(units, { recursive: true });
  cpSync(path.join(root, 'systemd/poid-sim.service'), path.join(units, 'poid-sim.service'));
  installSimulatorDocument(tree);
  writeDocuments(tree, { name: 'poid-sim', version, epoch });
  return {
    tree,
    name: 'poid-sim',
    architecture: 'all',
    // perl too, for a pseudo-terminal's ioctl: it is essential.
    depends: [`poid (= ${version})`],
    description: [
      'hardware simulator of the poid payment service',
      'Card readers, printer, scanner, Octopus reader and hosts of acquirers, for',
      'development and tests. It holds published test keys and test cards only.',
    ],
    scripts: maintainerScripts('poid-sim', ['postinst', 'prerm', 'postrm']),
  };
}

const launcher = `#!/bin/sh
# It executes nothing that was written at run time.
unset NODE_COMPILE_CACHE
exec /usr/lib/poid/bin/node --disable-sigusr1 /usr/lib/poid-sim/hw-sim/main.js "$@"
`;
