import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

test('ARCHITECTURE.md has a line for every dependency, and no other', () => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(file('package.json')) as Record<
    'dependencies' | 'optionalDependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;
  const [, section = ''] = file('ARCHITECTURE.md').split('\n## Dependencies\n');
  const listed = [...section.split('\n## ')[0]!.matchAll(/^\| ([@a-z][^|]*?) \| [\d.]+ \|/gm)].flatMap(
    ([, names = '']) => names.split(', '),
  );
  const all = { ...dependencies, ...optionalDependencies, ...devDependencies };
  assert.deepEqual(listed.toSorted(), Object.keys(all).toSorted());
});
