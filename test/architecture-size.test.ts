import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
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
