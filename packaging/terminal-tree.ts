import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, type Machine } from '../build/addons.ts';
import { nameSnapshot } from '../build/snapshot-program.ts';
import { processFlags } from '../src/admin/snapshot-command.ts';
import { debianNames, maintainerScripts, type PackageTree, type Release } from './deb.ts';
import { writeDocuments } from './documents.ts';
import { installDocuments } from './installed-documents.ts';
import { closureOf, copyPackages, licencesOf, writeManifest } from './modules.ts';
import { sbomOf } from './sbom.ts';
import { installModules, runtimeProgram } from './target-modules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the bundle loads from packages: addons, and two files of a font (src/receipt/unifont.ts, src/screen/page-file.ts). */
const external = ['@fontsource/unifontex', 'node-hid', 'serialport'];
const fontFiles = ['package.json', 'files/unifontex-latin-400-normal.woff', 'files/unifontex-latin-400-normal.woff2'];

/** Where each file of the project goes. */
const systemFiles = {
  'systemd/poid.service': 'lib/systemd/system/poid.service',
  'systemd/poid-announce.service': 'lib/systemd/system/poid-announce.service',
  'systemd/poid.sysusers': 'usr/lib/sysusers.d/poid.conf',
  'systemd/poid.tmpfiles': 'usr/lib/tmpfiles.d/poid.conf',
  'systemd/journald.conf': 'usr/lib/systemd/journald.conf.d/60-poid.conf',
  'systemd/60-poid.rules': 'lib/udev/rules.d/60-poid.rules',
} as const;

/** The daemon with its runtime and addons, for that machine alone. Rejects with BuildError. */
export async function makeTerminalTree(
  tree: string,
  machine: Machine,
  { version, npmVersion, epoch }: Release,
): Promise<PackageTree> {
  const modules = await installModules(machine);
  const home = path.join(tree, 'usr/lib/poid');
  const doc = path.join(tree, 'usr/share/doc/poid');
  mkdirSync(path.join(home, 'bin'), { recursive: true });
  try {
    const bundle = [
      path.join(root, 'build/bundle.ts'),
      path.join(home, 'dist'),
      '--machine',
      machine,
      '--version',
      version,
      '--without-maps',
    ];
    execFileSync(process.execPath, bundle, { stdio: 'pipe' });
  } catch (error) {
    throw new BuildError(
      String((error as { stderr: Buffer }).stderr)
        .replace(/^build: /, '')
        .trimEnd(),
    );
  }
  writeManifest(home, npmVersion);
  const packages = closureOf(modules, external);
  copyPackages(modules, packages, path.join(home, 'node_modules'), machine);
  keepFontFiles(path.join(home, 'node_modules/@fontsource/unifontex'));
  const runtimePackage = installRuntime(home, modules, machine);
  const runtime = closureOf(modules, [runtimePackage]);
  writeFileSync(path.join(home, 'bin/poid'), launcher);
  chmodSync(path.join(home, 'bin/poid'), 0o755);
  for (const each of ['from-snapshot', 'adopt-serial-number', 'end-service'])
    cpSync(path.join(root, 'bin', each), path.join(home, 'bin', each));
  await nameSnapshot(path.join(home, 'dist'), path.join(home, 'bin/node'));
  for (const [from, to] of Object.entries(systemFiles)) {
    mkdirSync(path.dirname(path.join(tree, to)), { recursive: true });
    cpSync(path.join(root, from), path.join(tree, to));
  }
  installDocuments(tree);
  mkdirSync(path.join(tree, 'usr/bin'));
  symlinkSync('../lib/poid/bin/poid', path.join(tree, 'usr/bin/poid'));
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const inside = [...closureOf(modules, Object.keys(dependencies)), ...runtime];
  const sbom = sbomOf('poid', {
    version,
    modules,
    packages: inside,
    direct: Object.keys(dependencies),
    runtime: runtimePackage,
    shippedRuntime: path.join(home, 'bin/node'),
    versions: process.versions,
    lockFile: path.join(root, 'package-lock.json'),
  });
  writeFileSync(path.join(doc, 'poid.cdx.json'), sbom);
  writeDocuments(tree, { name: 'poid', version, epoch, licences: `\n${licencesOf(modules, inside)}` });
  return {
    tree,
    name: 'poid',
    architecture: debianNames[machine],
    // What node, node-hid and serialport are linked to.
    depends: [
      'systemd (>= 247)',
      'udev',
      'libc6 (>= 2.28)',
      'libstdc++6 (>= 10)',
      'libgcc-s1',
      'libusb-1.0-0',
      'libudev1',
    ],
    // Tills find the terminal by it; without it they need the address.
    recommends: ['avahi-daemon'],
    description: [
      'payment service of a Linux card terminal',
      'A POS posts a payment; the terminal collects a card, a wallet code or cash,',
      "authorizes it with the acquirer's host, prints and answers.",
    ],
    scripts: maintainerScripts('poid', ['preinst', 'postinst', 'prerm', 'postrm']),
  };
}

/** As bin/poid. */
const launcher = `#!/bin/sh
if [ "$1" = sim ] && [ "$2" != --help ] && [ "$2" != -h ]; then
  shift
  [ -x /usr/bin/poid-sim ] || { echo "poid: the simulator is not installed (package poid-sim)" >&2; exit 1; }
  exec /usr/bin/poid-sim "$@"
fi
root=/usr/lib/poid
node=$root/bin/node
flags='${processFlags.join(' ')}'
# It executes nothing that was written at run time.
unset NODE_COMPILE_CACHE
if [ "$1" = run ]; then . "$root/bin/from-snapshot"; fi
exec $node $flags $root/dist/cli.js "$@"
`;

/** Returns the package of the runtime. */
function installRuntime(home: string, modules: string, machine: Machine): string {
  const own = machine === process.arch;
  const strip = own ? 'strip' : { x64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' }[machine];
  try {
    execFileSync(strip, ['--strip-unneeded', '-o', path.join(home, 'bin/node'), runtimeProgram(modules, machine)], {
      stdio: 'pipe',
    });
  } catch {
    throw new BuildError(`${strip} can't strip the runtime (Debian: binutils)`);
  }
  return `node-linux-${machine}`;
}

function keepFontFiles(font: string): void {
  for (const each of globSync('**/*', { cwd: font, withFileTypes: true })) {
    const file = path.join(each.parentPath, each.name);
    if (each.isFile() && !fontFiles.includes(path.relative(font, file))) rmSync(file);
  }
}
