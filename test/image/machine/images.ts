import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeBundle, testSigner } from '../../../image/bundle.ts';
import { packageFile } from '../../packaging/machine/packages.ts';
import { buildTestPackage } from './test-package.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where test/image/main.ts has built everything. */
const built = process.env['POID_IMAGES'] ?? '';

/** The first one has the screen. The others do without: their bundles are half as large, and sooner installed. */
export const versions = { first: '1.0.0', later: '2.0.0', broken: '3.0.0' } as const;

/** What `npm run image` calls the machine. */
const compatible = 'poid-amd64';

/** Bundles that a terminal must refuse. */
export const refused = { foreign: 'foreign.raucb', tampered: 'tampered.raucb', otherMachine: 'other.raucb' } as const;

export function bundleOf(version: string): string {
  return `poid-${version}-amd64.raucb`;
}

function at(name: string, dir: string = built): string {
  return path.join(dir, name);
}

/** The disk that is flashed. */
export function firstDisk(): string {
  return at(`poid-${versions.first}-amd64.img`);
}

/** All bundles, as a disk that a guest reads. */
export function bundleDisk(): string {
  return at('bundles.squashfs');
}

/** Builds three versions, of which the last one's daemon ends at once, and the bundles that are refused. */
export async function buildImages(dir: string): Promise<void> {
  const packages = path.join(dir, 'packages');
  await runBuild(['packaging/main.ts', packages, '--compression', 'none', '--arch', 'amd64']);
  const inside = [packageFile('poid-sim', packages), buildTestPackage(dir)];
  const [working, broken] = [packageFile('poid', packages), breakPackage(packages, dir)];
  const signer = testSigner(dir);
  const signed = ['--certificate', signer.certificate, '--key', signer.key];
  const build = (version: string, terminal: string, base: string, flags: readonly string[] = []) => {
    const given = [terminal, ...inside].flatMap((each) => ['--package', each]);
    const named = ['--version', version, '--base', base, '--compression', '1'];
    return runBuild(['image/main.ts', dir, ...named, ...signed, ...flags, ...given]);
  };
  const small = ['--without-screen', '--without-disk'];
  await Promise.all([
    build(versions.first, working, baseFile('screen')),
    build(versions.later, working, baseFile('small'), small).then(() =>
      build(versions.broken, broken, baseFile('small'), small),
    ),
  ]);
  const [slot, version] = [at(`poid-${versions.later}-amd64.squashfs`, dir), versions.later];
  const foreigner = testSigner(path.join(dir, 'foreign'));
  makeBundle(at(refused.foreign, dir), { slot, version, compatible, signer: foreigner });
  makeBundle(at(refused.otherMachine, dir), { slot, version, compatible: 'poid-other', signer });
  tamper(at(bundleOf(version), dir), at(refused.tampered, dir));
  packBundles(dir);
}

/** Debian's part of an image, made once for each choice of packages. */
function baseFile(name: string): string {
  const key = createHash('sha256')
    .update(readFileSync(path.join(root, 'image/base.ts')))
    .digest('hex')
    .slice(0, 16);
  return path.join(root, `node_modules/.cache/image-${name}-${key}.tar`);
}

async function runBuild(parameters: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, parameters, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${parameters.slice(0, 2).join(' ')} ended with ${code}`);
}

/** The daemon's package with an empty program. Returns its path. */
function breakPackage(packages: string, dir: string): string {
  const tree = path.join(dir, 'tree');
  const to = path.join(dir, 'broken');
  mkdirSync(to);
  execFileSync('dpkg-deb', ['-R', packageFile('poid', packages), tree]);
  writeFileSync(path.join(tree, 'usr/lib/poid/dist/cli.js'), '');
  const file = path.join(to, path.basename(packageFile('poid', packages)));
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
  rmSync(tree, { recursive: true });
  return file;
}

/** One byte of the payload, near its begin, is another one. */
function tamper(bundle: string, to: string): void {
  const bytes = readFileSync(bundle);
  const place = 3 << 20;
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(to, bytes);
}

function packBundles(dir: string): void {
  const offered = path.join(dir, 'bundles');
  mkdirSync(offered);
  const names = [...Object.values(refused), ...Object.values(versions).map(bundleOf)];
  for (const each of names) linkSync(at(each, dir), path.join(offered, each));
  const fast = ['-noI', '-noD', '-noF', '-noX', '-no-progress', '-quiet', '-noappend'];
  execFileSync('mksquashfs', [offered, path.join(dir, 'bundles.squashfs'), ...fast], { stdio: 'pipe' });
}
