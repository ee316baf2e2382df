import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly pathNot?: readonly string[] | string };
}

const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};

/** The folders of src/ that a rule allows, by their names in its patterns, in alphabetical order. */
function allowedBy({ to }: Rule): string[] {
  const patterns = typeof to.pathNot === 'object' ? to.pathNot : [];
  return patterns.map(folderOf).toSorted();
}

/** The folder below src/ of a pattern of the rules. */
function folderOf(pattern: string): string {
  return /^\^src\/([\w/*-]+)\(/.exec(pattern.replace('[^/]+', '*'))?.[1] ?? assert.fail(pattern);
}

const isFolder = (entry: { isDirectory(): boolean }) => entry.isDirectory();

/** Each folder with what it may import beside itself: from the rules of `npm run imports`. */
function enforced(): Map<string, string[]> {
  const ofSources = forbidden.filter(({ name }) => name.startsWith('src-'));
  const drivers = forbidden.find(({ name }) => name === 'drivers') ?? assert.fail('no rule for drivers');
  return new Map([
    ...ofSources.map((rule): [string, string[]] => {
      const name = folderOf(rule.from.path ?? '');
      return [`src/${name}`, allowedBy(rule).filter((each) => each !== name)];
    }),
    ['drivers', allowedBy(drivers)],
  ]);
}

/** The same, from the table of ARCHITECTURE.md. */
function documented(text: string): Map<string, string> {
  const [, section = assert.fail('no such section')] = text.split('\n## Folders\n');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| ((?:src\/[\w/*-]+)|drivers|hw-sim) \| [^|]+ \| ([^|]+) \|$/gm)];
  return new Map(rows.map(([, folder = '', imports = '']) => [folder, withoutGroups(imports)]));
}

/** Names in the table for several folders. */
const groups: Readonly<Record<string, readonly string[]>> = {
  '*words*': ['base/domain', 'base/ports'],
  '*payments*': ['payment/contracts', 'payment/events', 'payment/options', 'payment/records', 'payment/transaction'],
};

function withoutGroups(imports: string): string {
  if (!imports.includes('*')) return imports;
  const folders = imports.split(', ').flatMap((each) => groups[each] ?? [each]);
  return folders.toSorted().join(', ');
}

const table = documented(readFileSync(new URL('ARCHITECTURE.md', root), 'utf8'));
// Nothing restricts the first, and a rule that names no folder the second.
const others = new Map([
  ['src/main', 'everything'],
  ['src/main/composition', 'everything but the command line'],
  ['hw-sim', 'nothing of src or drivers'],
]);

test('the table of folders in ARCHITECTURE.md says what .dependency-cruiser.cjs enforces', () => {
  const expected = new Map([...enforced()].map(([folder, imports]) => [folder, imports.join(', ') || 'nothing']));
  assert.ok(expected.size > 30);
  const inOrder = (map: ReadonlyMap<string, string>) =>
    Object.fromEntries([...map].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  assert.deepEqual(inOrder(table), inOrder(new Map([...expected, ...others])));
});

test('each folder of src has a row, and each but the composition root a rule', () => {
  const folders = readdirSync(new URL('src/', root), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => `src/${name}`);
  const rows = [...table.keys()];
  for (const folder of folders) {
    if (table.has(folder)) continue;
    // Its folders have rows of their own, and it has no file beside them that a rule does not name.
    for (const { name } of readdirSync(new URL(`${folder}/`, root), { withFileTypes: true }).filter(isFolder)) {
      assert.ok(rows.includes(`${folder}/${name}`), `${folder}/${name} has no row`);
    }
  }
  assert.deepEqual(rows.filter((folder) => folder.startsWith('src/') && !enforced().has(folder)).toSorted(), [
    'src/main',
    'src/main/composition',
  ]);
});

test('a folder that only one of the two names is noticed', () => {
  const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
  const without = documented(text.replace(/^\| src\/codecs\/qr \|.*\n/m, ''));
  assert.equal(without.has('src/codecs/qr'), false);
  assert.notDeepEqual([...without], [...table]);
});
