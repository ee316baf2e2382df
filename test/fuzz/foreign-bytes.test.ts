import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { targets } from './targets.ts';

const root = new URL('../../', import.meta.url);
const file = (name: string) => readFileSync(new URL(name, root), 'utf8');
const document = file('docs/foreign-bytes.md');
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| bytes'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

after(() => Promise.all(targets.map(async (target) => target.close?.())));

test('docs/foreign-bytes.md names each fuzz target once, and each test that it names is there', () => {
  const named = rows.map((cells) => cells[4] ?? '');
  const tests = named.filter((name) => name.startsWith('test/'));
  for (const name of tests) assert.ok(existsSync(new URL(name, root)), name);
  const fuzzed = named.filter((name) => !name.startsWith('test/'));
  assert.deepEqual(fuzzed.toSorted(), targets.map(({ name }) => name).toSorted());
});

test('each row says who reads, within what limit, and what happens then', () => {
  for (const cells of rows) {
    assert.equal(cells.length, 5, cells.join(' | '));
    assert.ok(
      cells.every((cell) => cell !== ''),
      cells.join(' | '),
    );
    for (const [, place = ''] of (cells[1] ?? '').matchAll(/`((?:src|drivers)\/[^`]*)`/g))
      assert.ok(existsSync(new URL(place, root)), place);
  }
});

test('each dependency of the terminal is a reader of the table, or is said to read nothing foreign', () => {
  const { dependencies } = JSON.parse(file('package.json')) as { dependencies: Readonly<Record<string, string>> };
  const readers = new Set(rows.flatMap((cells) => (cells[1] ?? '').split(', ')));
  const [, others = ''] = /^These dependencies read no foreign bytes: ([^]*?)\n\n/m.exec(document) ?? [];
  const readNothing = new Set(
    others
      .replaceAll(/\([^)]*\)|\.$/g, '')
      .split(',')
      .map((each) => each.trim()),
  );
  for (const name of Object.keys(dependencies))
    assert.ok(readers.has(name) !== readNothing.has(name), `${name} stands in neither or in both`);
});
