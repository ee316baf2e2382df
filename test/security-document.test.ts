import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const tests = fileURLToPath(new URL('.', import.meta.url));
const text = readFileSync(new URL('../SECURITY.md', import.meta.url), 'utf8');

/** Sections whose entries promise something, by their headings. */
const promising = ['Attacks and defences', 'Signatures'];

/** The entries of a section: items of its lists, and rows of its tables. */
function entriesOf(heading: string): string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(text) ?? [];
  return section
    .split(/^(?=- |\| (?!attacker |---)|#+ )|\n\n/m)
    .filter((each) => /^(?:- |\| )/.test(each) && !/^\|\s*(?:attacker|-)/.test(each))
    .map((each) => each.trim());
}

/** Names of tests in parentheses: `(api/access, hostile/)`. */
function testsIn(entry: string): string[] {
  const lists = [...entry.matchAll(/\(([a-z][\w-]*\/[^()]*)\)/g)].map(([, list = '']) => list.split(/,\s+/));
  return lists.filter((list) => list.every((name) => /^[a-z][\w-]*\/[\w/-]*$/.test(name))).flat();
}

function isTest(name: string): boolean {
  if (name.endsWith('/')) return existsSync(`${tests}${name}`);
  return globSync(`${name}.{test,long,browser,hostile,nspawn,guest,outside}.ts`, { cwd: tests }).length > 0;
}

for (const heading of promising) {
  test(`${heading}: each entry names the tests that prove it`, () => {
    const entries = entriesOf(heading);
    assert.ok(entries.length > 3, `${entries.length} entries`);
    assert.deepEqual(
      entries.filter((entry) => testsIn(entry).length === 0),
      [],
    );
  });
}

test('each test that SECURITY.md names exists', () => {
  const names = testsIn(text);
  assert.ok(names.length > 90, `${names.length} names`);
  assert.deepEqual(
    names.filter((name) => !isTest(name)),
    [],
  );
  assert.equal(isTest('api/no-such-test'), false);
});
