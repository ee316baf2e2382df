import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, type Machine } from '../build/addons.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** An installed package, by its directory below node_modules. */
export interface InstalledPackage extends Manifest {
  readonly place: string;
}

function readManifest(modules: string, place: string): InstalledPackage {
  return { ...(JSON.parse(readFileSync(path.join(modules, place, 'package.json'), 'utf8')) as Manifest), place };
}

/** The project's own manifest beside what is built of it, with the version of this build. */
export function writeManifest(home: string, npmVersion: string): void {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(path.join(home, 'package.json'), `${JSON.stringify({ ...manifest, version: npmVersion }, null, 2)}\n`);
}

/** These packages and all that they need, in the order of their places. A package for another machine is left out. */
export function closureOf(modules: string, names: readonly string[]): InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const add = (name: string, from: string, isOptional: boolean): void => {
    const place = findPlace(modules, name, from);
    if (place === undefined) {
      if (isOptional) return;
      throw new BuildError(`the package ${name} is not installed: \`npm ci\` installs it`);
    }
    if (found.has(place)) return;
    const manifest = readManifest(modules, place);
    found.set(place, manifest);
    for (const each of Object.keys(manifest.dependencies ?? {})) add(each, place, false);
    for (const each of Object.keys(manifest.optionalDependencies ?? {})) add(each, place, true);
  };
  for (const name of names) add(name, '', false);
  return [...found.values()].toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** As Node resolves it: in the package's own node_modules, then in those around it. */
export function findPlace(modules: string, name: string, from: string): string | undefined {
  for (let around = from; ; around = path.dirname(around)) {
    const place = around === '' || around === '.' ? name : path.join(around, 'node_modules', name);
    if (existsSync(path.join(modules, place, 'package.json'))) return place;
    if (around === '' || around === '.') return undefined;
  }
}

/** What no terminal loads: sources, types, documents, programs of the build, and what other machines load. */
const needless = [
  '**/*.{d.ts,d.mts,d.cts,map,md,markdown,gyp,gypi,c,cc,cpp,h,hpp,m,in,ac,am,yml,toml}',
  '**/{tsconfig*.json,.*,AUTHORS*,Makefile*,bootstrap,*.pc*}',
  '**/{test,tests,example,examples,docs,.github}',
  'node-hid/{src,hidapi}',
  'pkg-prebuilds/bin',
  '**/node-addon-api',
  'node-gyp-build/{bin,build-test,optional}.js',
  '@serialport/bindings-cpp/{src,build}',
];

/** Copies packages without what no terminal of that machine loads, and without their licences, which go elsewhere. */
export function copyPackages(modules: string, packages: readonly InstalledPackage[], to: string, machine: Machine) {
  for (const { place } of packages) {
    const target = path.join(to, place);
    mkdirSync(target, { recursive: true });
    const own = path.join(modules, place, 'node_modules');
    cpSync(path.join(modules, place), target, { recursive: true, filter: (source) => source !== own });
  }
  const remove = (pattern: string | readonly string[]) => {
    for (const each of globSync(pattern, { cwd: to })) rmSync(path.join(to, each), { recursive: true, force: true });
  };
  remove(needless);
  remove('**/{LICENSE,LICENCE,COPYING,license}*');
  for (const prebuild of globSync('**/prebuilds/*', { cwd: to })) {
    if (!prebuild.endsWith(`linux-${machine}`)) rmSync(path.join(to, prebuild), { recursive: true });
  }
  remove('**/prebuilds/**/*musl*');
  removeEmpty(to);
}

function removeEmpty(dir: string): void {
  for (const each of readdirSync(dir, { withFileTypes: true })) {
    if (each.isDirectory()) removeEmpty(path.join(dir, each.name));
  }
  if (readdirSync(dir).length === 0) rmSync(dir, { recursive: true });
}

/** Every licence in full, as the licences ask. */
export function licencesOf(modules: string, packages: readonly InstalledPackage[]): string {
  return packages
    .map(({ name, version, license, place }) => {
      const files = globSync('{LICENSE,LICENCE,COPYING,license}*', { cwd: path.join(modules, place) }).toSorted();
      const texts = files.map((file) => readFileSync(path.join(modules, place, file), 'utf8').trimEnd());
      return [`== ${name} ${version} (${license ?? 'no licence named'})`, ...texts, ''].join('\n');
    })
    .join('\n');
}
