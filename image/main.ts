import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BuildError, type Machine, machines } from '../build/addons.ts';
import { buildPackage, debianNames, type Release } from '../packaging/deb.ts';
import { announceRelease } from '../packaging/release.ts';
import { makeTerminalTree } from '../packaging/terminal-tree.ts';
import { makeBase } from './base.ts';
import { makeBundle, type Signer, testSigner } from './bundle.ts';
import { makeDisk } from './disk.ts';
import { emulate } from './emulation.ts';
import { makeRoot, packSlot } from './root.ts';

const usage = `npm run image -- DIR [--arch amd64|arm64] [--version V] [--certificate FILE --key FILE]
  [--compatible NAME] [--package FILE]… [--base FILE] [--without-screen] [--without-disk] [--compression 1…9]`;

/**
 * `npm run image`: the content of a slot, the bundle that updates a terminal to it, and a disk to flash.
 * The same commit and the same Debian give the same slot.
 */
try {
  await main();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(`image: ${error.message}`);
  process.exitCode = 1;
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        arch: { type: 'string', default: debianNames[process.arch === 'arm64' ? 'arm64' : 'x64'] },
        version: { type: 'string' },
        certificate: { type: 'string' },
        key: { type: 'string' },
        compatible: { type: 'string' },
        package: { type: 'string', multiple: true, default: [] },
        base: { type: 'string' },
        compression: { type: 'string', default: '6' },
        'without-screen': { type: 'boolean', default: false },
        'without-disk': { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new BuildError(`${(error as Error).message}\n${usage}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseOptions();
  const [outdir, ...rest] = positionals;
  if (outdir === undefined || rest.length > 0) throw new BuildError(`it takes one directory\n${usage}`);
  if (process.getuid?.() !== 0) throw new BuildError('it needs root: it installs packages into a directory');
  const machine = machineOf(values.arch);
  // The file's name, RAUC's manifest and dpkg take it.
  if (!/^\d[\dA-Za-z.+~-]*$/.test(values.version ?? '0'))
    throw new BuildError('--version is one of Debian’s, such as 1.2.3');
  const release = announceRelease('image');
  const { epoch } = release;
  const version = values.version ?? release.version;
  const dir = path.resolve(outdir);
  mkdirSync(dir, { recursive: true });
  const signer = signerOf(values, dir);
  if (!/^[1-9]$/.test(values.compression)) throw new BuildError('--compression is from 1 (fast) to 9 (small)');
  const hasScreen = !values['without-screen'];
  const compatible = values.compatible ?? `poid-${values.arch}`;
  const work = mkdtempSync(path.join(tmpdir(), 'poid-image-'));
  try {
    const base = path.resolve(values.base ?? path.join(work, 'base.tar'));
    emulate(machine);
    makeBase(base, { machine, hasScreen, epoch });
    const given = values.package.map((each) => path.resolve(each));
    const packages = given.some((each) => path.basename(each).startsWith('poid_'))
      ? given
      : [await buildTerminal(work, machine, release), ...given];
    const { certificate } = signer;
    const tree = path.join(work, 'root');
    const bootParts = path.join(work, 'boot-parts');
    makeRoot(tree, { base, packages, version, compatible, certificate, bootParts, hasScreen, epoch });
    const name = path.join(dir, `poid-${version}-${values.arch}`);
    const slot = `${name}.squashfs`;
    packSlot(tree, slot, { compression: values.compression, epoch });
    printFile(slot);
    makeBundle(`${name}.raucb`, { slot, version, compatible, signer });
    printFile(`${name}.raucb`);
    if (values['without-disk']) return;
    makeDisk(`${name}.img`, { slot, machine, bootParts });
    printFile(`${name}.img`);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function machineOf(name: string): Machine {
  const machine = machines.find((each) => debianNames[each] === name);
  if (!machine) throw new BuildError(`--arch is one of ${machines.map((each) => debianNames[each]).join(', ')}`);
  return machine;
}

function signerOf(
  { certificate, key }: { certificate?: string | undefined; key?: string | undefined },
  dir: string,
): Signer {
  if (certificate !== undefined && key !== undefined) {
    for (const each of [certificate, key]) if (!existsSync(each)) throw new BuildError(`there is no file ${each}`);
    return { certificate: path.resolve(certificate), key: path.resolve(key) };
  }
  if (certificate !== undefined || key !== undefined) throw new BuildError('--certificate and --key go together');
  console.error(`image: signed by a TEST KEY in ${dir}: not for production (--certificate, --key)`);
  return testSigner(dir);
}

/** Returns the package's path. */
async function buildTerminal(work: string, machine: Machine, release: Release): Promise<string> {
  const terminal = await makeTerminalTree(path.join(work, 'terminal'), machine, release);
  return buildPackage({ ...release, ...terminal, compression: 'none', outdir: work });
}

function printFile(file: string): void {
  const { size, blocks } = statSync(file);
  console.log(`${file} ${(size / 1e6).toFixed(0)} MB (${((512 * blocks) / 1e6).toFixed(0)} MB on disk)`);
}
