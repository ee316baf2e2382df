import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '../../../build/cache-dir.ts';
import { commitSeconds } from '../../../build/commit-time.ts';
import { makeBundle, testSigner } from '../../../image/bundle.ts';
import { packSlot } from '../../../image/root.ts';
import { packageFile } from '../../packaging/machine/packages.ts';
import { replaceDaemon } from './next-daemon.ts';
import { buildTestPackage } from './test-package.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where test/image/main.ts has built everything. */
const built = process.env['POID_IMAGES'] ?? '';

export const versions = { first: '1.0.0', later: '2.0.0', broken: '3.0.0' } as const;

/** What `npm run image` calls the machine. */
const compatible = 'poid-amd64';
/** Of a slot: the fastest. */
const compression = '1';

/** Bundles that a terminal must refuse. */
export const refused = { foreign: 'foreign.raucb', tampered: 'tampered.raucb', otherMachine: 'other.raucb' } as const;

export function bundleOf(version: string): string {
  return `poid-${version}-amd64.raucb`;
}

function at(name: string, dir: string = built): string {
  return path.join(dir, name);
}

function slotOf(version: string, dir: string): string {
  return at(`poid-${version}-amd64.squashfs`, dir);
}

/** The disk that is flashed. */
export function firstDisk(): string {
  return at(`poid-${versions.first}-amd64.img`);
}

/** The bundles that a person installs, as a disk that a guest reads; undefined where none were built. */
export function bundleDisk(): string | undefined {
  const file = at('bundles.squashfs');
  return existsSync(file) ? file : undefined;
}

/** What hawkBit is given. */
export function readBundle(name: string): Buffer {
  return readFileSync(at(name));
}

/** Builds the disk with the first version, as `npm run image` does. `hasScreen`: with what shows the page. */
export async function buildFirst(dir: string, hasScreen: boolean): Promise<void> {
  const packages = path.join(dir, 'packages');
  await runBuild(['packaging/main.ts', packages, '--compression', 'none', '--arch', 'amd64']);
  const inside = [packageFile('poid', packages), packageFile('poid-sim', packages), buildTestPackage(dir)];
  const { certificate, key } = testSigner(dir);
  const base = baseFile(hasScreen ? 'screen' : 'small');
  const named = ['--version', versions.first, '--base', base, '--compression', compression];
  const given = inside.flatMap((each) => ['--package', each]);
  const choice = hasScreen ? [] : ['--without-screen'];
  await runBuild(['image/main.ts', dir, ...named, '--certificate', certificate, '--key', key, ...choice, ...given]);
}

/**
 * Builds the bundles: each later version is the first one's files with another number, and a daemon with one more migration
 * of the journal. That of the last one sells, and says that the disk of its journal does not answer: it is not accepted.
 */
export async function buildBundles(dir: string): Promise<void> {
  const signer = testSigner(dir);
  const { first, later, broken } = versions;
  const tree = path.join(dir, 'tree');
  execFileSync('unsquashfs', ['-no-progress', '-quiet', '-dest', tree, slotOf(first, dir)], { stdio: 'pipe' });
  const pack = (version: string) => {
    writeFileSync(path.join(tree, 'usr/lib/poid-image/version'), `${version}\n`);
    packSlot(tree, slotOf(version, dir), { compression, epoch: commitSeconds() ?? 0 });
    makeBundle(at(bundleOf(version), dir), { slot: slotOf(version, dir), version, compatible, signer });
  };
  await replaceDaemon(tree, dir, { migrations: 1 });
  pack(later);
  await replaceDaemon(tree, dir, { migrations: 2, isSilent: true });
  pack(broken);
  rmSync(tree, { recursive: true });
  // None of them is ever started.
  const slot = path.join(dir, 'random.squashfs');
  writeFileSync(slot, randomBytes(8 << 20));
  const version = later;
  const foreigner = testSigner(path.join(dir, 'foreign'));
  makeBundle(at(refused.foreign, dir), { slot, version, compatible, signer: foreigner });
  makeBundle(at(refused.otherMachine, dir), { slot, version, compatible: 'poid-other', signer });
  const sound = path.join(dir, 'sound.raucb');
  makeBundle(sound, { slot, version, compatible, signer });
  tamper(sound, at(refused.tampered, dir));
  packBundles(dir);
}

/** Debian's part of an image, made once for each choice of packages. */
function baseFile(name: string): string {
  const key = createHash('sha256')
    .update(readFileSync(path.join(root, 'image/base.ts')))
    .digest('hex')
    .slice(0, 16);
  mkdirSync(cacheDir, { recursive: true });
  return path.join(cacheDir, `image-${name}-${key}.tar`);
}

async function runBuild(parameters: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, parameters, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${parameters.slice(0, 2).join(' ')} ended with ${code}`);
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
  const names = [...Object.values(refused), ...[versions.first, versions.later].map(bundleOf)];
  for (const each of names) linkSync(at(each, dir), path.join(offered, each));
  const fast = ['-noI', '-noD', '-noF', '-noX', '-no-progress', '-quiet', '-noappend'];
  execFileSync('mksquashfs', [offered, path.join(dir, 'bundles.squashfs'), ...fast], { stdio: 'pipe' });
}
