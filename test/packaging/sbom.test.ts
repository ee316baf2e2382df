import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cpeOf, notParts, runtimeParts, upstreamVersion } from '../../packaging/runtime-parts.ts';
import { ownSbom } from './own-sbom.ts';

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}
interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const bom = JSON.parse(ownSbom()) as Bom;
const found = (name: string) => bom.components.find((each) => each.name === name) ?? assert.fail(name);

test('every component has a name that a scanner knows, or the hash of a file', () => {
  for (const { type, name, purl, hashes } of bom.components) {
    if (type === 'file') assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{64}$/, name);
    else assert.match(purl ?? '', /^pkg:(?:npm|github|generic)\/[^@\s]+@[\w.-]+$/, name);
  }
  const packages = bom.components.filter(({ purl }) => purl?.startsWith('pkg:npm/') === true);
  const hashed = packages.filter(({ hashes }) => hashes?.some(({ alg }) => alg === 'SHA-512') === true);
  // acorn, amaro and undici are in Node's binary: no archive of them is installed.
  assert.deepEqual(
    packages.filter((each) => !hashed.includes(each)).map(({ name }) => name),
    ['acorn', 'amaro', 'undici'],
  );
  for (const { hashes } of hashed) assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/);
});

test('the runtime has its file’s SHA-256, and each library within it the version that it says itself', () => {
  assert.equal(found('node').cpe, `cpe:2.3:a:nodejs:node.js:${process.versions.node}:*:*:*:*:*:*:*`);
  const [hash] = found('usr/lib/poid/bin/node').hashes ?? [];
  assert.equal(hash?.content, createHash('sha256').update(readFileSync(process.execPath)).digest('hex'));
  const { openssl, sqlite = '', v8, zlib } = process.versions;
  assert.equal(found('openssl').cpe, cpeOf('openssl:openssl', openssl));
  assert.equal(found('sqlite').cpe, cpeOf('sqlite:sqlite', sqlite));
  assert.ok(v8.startsWith(`${found('v8').version}-`));
  assert.ok(zlib.startsWith(found('zlib').version));
  assert.match(found('hidapi').purl ?? '', /^pkg:github\/libusb\/hidapi@hidapi-\d+\.\d+\.\d+$/);
  for (const each of ['llhttp', 'nghttp2', 'ada', 'simdutf', 'icu', 'libuv', 'c-ares', 'brotli', 'undici']) found(each);
});

test('a library that a later Node brings along must be listed, too', () => {
  const listed = new Set([...runtimeParts.map(({ key }) => key), ...notParts]);
  assert.deepEqual(
    Object.keys(process.versions).filter((key) => !listed.has(key)),
    [],
  );
  assert.equal(upstreamVersion('13.6.233.17-node.53'), '13.6.233.17');
});

test('the graph has each component once, leads to known ones alone, and reaches all of them', () => {
  const refs = bom.components.map((each) => each['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  assert.deepEqual([...edges.keys()].toSorted(), [...refs, 'poid'].toSorted());
  assert.equal(edges.size, bom.dependencies.length);
  const reached = new Set<string>();
  const visit = (ref: string) => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const each of edges.get(ref) ?? assert.fail(ref)) visit(each);
  };
  visit('poid');
  assert.deepEqual(
    [...refs].filter((ref) => !reached.has(ref)),
    [],
  );
  const serialport = edges.get(found('serialport')['bom-ref']) ?? [];
  assert.ok(serialport.includes(found('@serialport/bindings-cpp')['bom-ref']));
});

test('the same contents give the same bytes', () => assert.equal(ownSbom(), ownSbom()));

test('a runtime of another version than the one that builds is refused: its libraries are not known', () => {
  const versions = { ...process.versions, node: '1.0.0' };
  assert.throws(() => ownSbom({ versions }), {
    name: 'BuildError',
    message: /the runtime is .*, and this one 1\.0\.0/,
  });
});
