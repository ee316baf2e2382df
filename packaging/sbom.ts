import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BuildError } from '../build/addons.ts';
import { findPlace, type InstalledPackage } from './modules.ts';
import { cpeOf, runtimeParts, upstreamVersion } from './runtime-parts.ts';

interface Component {
  readonly type: 'application' | 'file' | 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

export interface SbomParts {
  readonly version: string;
  /** node_modules of the target machine. */
  readonly modules: string;
  readonly packages: readonly InstalledPackage[];
  /** The names of what poid itself depends on. */
  readonly direct: readonly string[];
  /** The npm package with the runtime. */
  readonly runtime: string;
  /** The runtime as it is shipped, and what it is made of. */
  readonly shippedRuntime: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly lockFile: string;
}

/**
 * The SBOM, in CycloneDX 1.6. Each npm package has the SHA-512 of its archive
 * from the lock file, the runtime the SHA-256 of the file that is shipped; libraries within the runtime and the addons have
 * the names by which scanners know them. It has no time and no serial number, so that it is reproducible. Throws BuildError.
 */
export function sbomOf(name: string, parts: SbomParts): string {
  const own = { type: 'application', 'bom-ref': name, name, version: parts.version } as const;
  const npm = npmComponents(parts);
  const runtime = runtimeComponents(parts);
  const bundled = hidapiComponent(parts);
  const components = uniqueOf([...npm.components, ...runtime.components, ...bundled.components]);
  const root = { ref: name, dependsOn: [...npm.roots, runtime.ref].toSorted() };
  const dependencies = mergeEdges([root, ...npm.edges, ...runtime.edges, ...bundled.edges], components);
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function npmPurl({ name, version }: InstalledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function npmComponents({ modules, packages, direct, lockFile }: SbomParts) {
  const { packages: locked } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  const byPlace = new Map(packages.map((each) => [each.place, npmPurl(each)]));
  const components = packages.map((each): Component => {
    const integrity = locked[`node_modules/${each.place}`]?.integrity;
    if (!integrity?.startsWith('sha512-')) throw new BuildError(`the lock file has no SHA-512 of ${each.place}`);
    const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    return {
      type: 'library',
      'bom-ref': npmPurl(each),
      name: each.name,
      version: each.version,
      purl: npmPurl(each),
      hashes: [{ alg: 'SHA-512', content }],
      ...(each.license === undefined ? {} : { licenses: [{ expression: each.license }] }),
    };
  });
  const refsOf = (names: readonly string[], from: string) =>
    names.flatMap((name) => {
      const place = findPlace(modules, name, from);
      return (place !== undefined && byPlace.get(place)) || [];
    });
  const edges = packages.map((each) => {
    const needed = Object.keys({ ...each.dependencies, ...each.optionalDependencies });
    return { ref: npmPurl(each), dependsOn: refsOf(needed, each.place) };
  });
  return { components, edges, roots: refsOf(direct, '') };
}

/** Node, the file that is shipped of it, and the libraries that are in it. */
function runtimeComponents({ packages, runtime, shippedRuntime, versions }: SbomParts) {
  const packaged = packages.find(({ name }) => name === runtime);
  const { node = '' } = versions;
  // What the runtime says of itself is taken from the one that builds.
  if (packaged?.version !== node) throw new BuildError(`the runtime is ${packaged?.version}, and this one ${node}`);
  const purl = `pkg:generic/node@${node}`;
  const platform: Component = {
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version: node,
    purl,
    cpe: cpeOf('nodejs:node.js', node),
    licenses: [{ expression: 'MIT' }],
  };
  const content = createHash('sha256').update(readFileSync(shippedRuntime)).digest('hex');
  const file: Component = {
    type: 'file',
    'bom-ref': 'usr/lib/poid/bin/node',
    name: 'usr/lib/poid/bin/node',
    version: node,
    hashes: [{ alg: 'SHA-256', content }],
  };
  const inside = runtimeParts.flatMap((part): Component[] => {
    const stated = versions[part.key];
    if (stated === undefined || stated === '') return [];
    const version = upstreamVersion(stated);
    const named = `${part.purl}${version}`;
    const cpe = part.cpe === undefined ? {} : { cpe: cpeOf(part.cpe, version) };
    return [{ type: 'library', 'bom-ref': `${purl}#${part.name}`, name: part.name, version, purl: named, ...cpe }];
  });
  const refs = inside.map((each) => each['bom-ref']);
  const edges: Dependency[] = [
    { ref: npmPurl(packaged), dependsOn: [purl, file['bom-ref']] },
    { ref: purl, dependsOn: refs },
  ];
  return { components: [platform, file, ...inside], edges, ref: npmPurl(packaged) };
}

/** node-hid's binary contains hidapi; libusb and libudev are Debian's packages. */
function hidapiComponent({ modules, packages }: SbomParts): { components: Component[]; edges: Dependency[] } {
  const addon = packages.find(({ name }) => name === 'node-hid');
  if (!addon) return { components: [], edges: [] };
  const file = path.join(modules, addon.place, 'hidapi/VERSION');
  if (!existsSync(file)) throw new BuildError(`${file} is missing: it says which hidapi node-hid contains`);
  const version = readFileSync(file, 'utf8').trim();
  const purl = `pkg:github/libusb/hidapi@hidapi-${version}`;
  const cpe = cpeOf('libusb:hidapi', version);
  const licenses = [{ expression: 'BSD-3-Clause' }];
  const component: Component = { type: 'library', 'bom-ref': purl, name: 'hidapi', version, purl, cpe, licenses };
  return { components: [component], edges: [{ ref: npmPurl(addon), dependsOn: [purl] }] };
}

function uniqueOf(components: readonly Component[]): Component[] {
  return [...new Map(components.map((each) => [each['bom-ref'], each])).values()];
}

/** One entry for each component. An empty entry states that a component depends on nothing. */
function mergeEdges(edges: readonly Dependency[], components: readonly Component[]): Dependency[] {
  const merged = new Map<string, Set<string>>(components.map((each) => [each['bom-ref'], new Set()]));
  for (const { ref, dependsOn } of edges) {
    const known = merged.get(ref) ?? new Set();
    for (const each of dependsOn) known.add(each);
    merged.set(ref, known);
  }
  return [...merged].map(([ref, found]) => ({ ref, dependsOn: [...found].toSorted() }));
}
