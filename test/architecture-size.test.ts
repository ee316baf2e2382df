import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const functionLinesMax = 60;

/** A table: a printer's commands by their first bytes. */
const tables = new Set(['hw-sim/printer/interpreter.ts execute']);

const files = globSync('{src,drivers,hw-sim}/**/*.ts', { cwd: root }).toSorted();

/** File and name of each function that is too long. */
function longFunctions(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const line = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const long: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && line(node.end) - line(node.getStart()) >= functionLinesMax) {
      long.push(`${file} ${node.name?.getText() ?? '(no name)'}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return long;
}

test(`no function has more than ${functionLinesMax} lines, but tables`, () => {
  assert.ok(files.length > 500);
  assert.deepEqual(
    files.flatMap(longFunctions).filter((name) => !tables.has(name)),
    [],
  );
});

const singleMax = 19;
const singleLinesMax = 40;

/** By what a method or an option is registered: the list that names it is its one importer. */
const registered = /^src\/(?:methods|options)\/[^/]+\/(?:module|option|settings|contract)\.ts$/;

test(`at most ${singleMax} modules of at most ${singleLinesMax} lines have one importer`, (t) => {
  const modules = files.filter((file) => !file.startsWith('hw-sim/'));
  const importers = new Map<string, number>();
  for (const file of modules) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const imported = new Set([...text.matchAll(/ from '(\.[^']+)'/g)].map(([, to = '']) => path.join(file, '..', to)));
    for (const each of imported) importers.set(each, (importers.get(each) ?? 0) + 1);
  }
  const lines = (file: string) => readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n').length;
  const single = modules.filter(
    (file) => importers.get(file) === 1 && lines(file) <= singleLinesMax && !registered.test(file),
  );
  t.diagnostic(`${single.length} modules: ${single.join(' ')}`);
  assert.ok(single.length <= singleMax);
});

const foldersMax = 16;

test(`src has at most ${foldersMax} folders`, () => {
  const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true });
  assert.ok(folders.every((each) => each.isDirectory()));
  assert.ok(folders.length <= foldersMax, `${folders.length}`);
});
