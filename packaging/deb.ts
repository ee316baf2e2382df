import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, lutimesSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BuildError, type Machine } from '../build/addons.ts';

export const compressions = ['xz', 'zstd', 'none'] as const;
export type Compression = (typeof compressions)[number];

export const debianNames = { x64: 'amd64', arm64: 'arm64' } as const satisfies Record<Machine, string>;
type Architecture = (typeof debianNames)[Machine] | 'all';

/** A directory as it is to be unpacked at /, and what dpkg is told of it. */
export interface PackageTree {
  readonly tree: string;
  readonly name: string;
  readonly depends: readonly string[];
  readonly recommends?: readonly string[];
  readonly architecture: Architecture;
  readonly description: readonly [synopsis: string, ...lines: string[]];
  /** Maintainer scripts by their names (deb-postinst(5)). */
  readonly scripts: Readonly<Record<string, string>>;
}

/** One state of the sources. */
export interface Release {
  readonly version: string;
  /** The same for npm. */
  readonly npmVersion: string;
  /** Seconds since 1970, of every file. */
  readonly epoch: number;
}

export interface PackageOptions extends PackageTree, Release {
  readonly compression: Compression;
  readonly outdir: string;
}

/** Writes the package, and returns its path. */
export function buildPackage(options: PackageOptions): string {
  const { tree, name, version, architecture, outdir, compression, scripts } = options;
  const files = listFiles(tree);
  const control = path.join(tree, 'DEBIAN');
  mkdirSync(control);
  const kibibytes = Math.ceil(files.reduce((sum, file) => sum + lstatSync(path.join(tree, file)).size, 0) / 1024);
  writeFileSync(path.join(control, 'control'), controlText(options, kibibytes));
  writeFileSync(path.join(control, 'md5sums'), files.map((file) => md5Line(tree, file)).join(''));
  for (const [script, text] of Object.entries(scripts)) {
    writeFileSync(path.join(control, script), text);
    chmodSync(path.join(control, script), 0o755);
  }
  normalize(tree, options.epoch);
  const file = path.join(outdir, `${name}_${version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(options.epoch) };
  try {
    // One thread: how many there are must not decide the bytes.
    const packed = [`-Z${compression}`, '--threads-max=1'];
    execFileSync('dpkg-deb', ['--root-owner-group', ...packed, '--build', tree, file], { env, stdio: 'pipe' });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    throw new BuildError(code === 'ENOENT' ? 'dpkg-deb is missing (Debian: dpkg)' : `dpkg-deb: ${stderr?.toString()}`);
  }
  return file;
}

/** Those of a package in packaging/debian, by their names. */
export function maintainerScripts(name: string, scripts: readonly string[]): Readonly<Record<string, string>> {
  const text = (script: string) => readFileSync(new URL(`debian/${name}.${script}`, import.meta.url), 'utf8');
  return Object.fromEntries(scripts.map((script) => [script, text(script)]));
}

function controlText(
  { name, version, architecture, depends, recommends = [], description }: PackageOptions,
  kibibytes: number,
): string {
  const [synopsis, ...lines] = description;
  return `Package: ${name}
Version: ${version}
Architecture: ${architecture}
Maintainer: poid <poid@example.invalid>
Installed-Size: ${kibibytes}
Depends: ${depends.join(', ')}
${recommends.length === 0 ? '' : `Recommends: ${recommends.join(', ')}\n`}Section: misc
Priority: optional
Description: ${synopsis}
${lines.map((line) => ` ${line}\n`).join('')}`;
}

/** Relative paths of everything but directories, in the order of their bytes. */
function listFiles(tree: string): string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.relative(tree, path.join(each.parentPath, each.name)))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function md5Line(tree: string, file: string): string {
  if (lstatSync(path.join(tree, file)).isSymbolicLink()) return '';
  const digest = createHash('md5')
    .update(readFileSync(path.join(tree, file)))
    .digest('hex');
  return `${digest}  ${file}\n`;
}

/** The builder's umask and clock are not in the package. */
function normalize(tree: string, epoch: number): void {
  for (const each of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    const file = path.join(each.parentPath, each.name);
    if (!each.isSymbolicLink()) {
      const runs = each.isDirectory() || (lstatSync(file).mode & 0o100) !== 0;
      chmodSync(file, runs ? 0o755 : 0o644);
    }
    lutimesSync(file, epoch, epoch);
  }
  chmodSync(tree, 0o755);
  lutimesSync(tree, epoch, epoch);
}
