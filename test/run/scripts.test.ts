import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { groupNames, groupOf, namedFolders, partsOf, root, testFiles } from './files.ts';

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** Every script that runs test files, and the files. test:walk and test:line only repeat files of `npm test` with more seeds. */
const runs = new Map<string, readonly string[]>([
  ['test', testFiles('quick')],
  ['test:long', testFiles('long')],
  ['test:browser', testFiles('browser')],
  ['test:package', globSync('test/packaging/*.nspawn.ts', { cwd: root })],
  ['test:firmware', globSync('test/firmware/*.guest.ts', { cwd: root })],
  ['test:image', globSync('test/image/*.guest.ts', { cwd: root })],
  ...['test:hostile', 'test:outside'].map((name) => [name, named(name)] as const),
]);

/** The files that a script's own pattern names. */
function named(name: string): string[] {
  const [, pattern = ''] = /'(test\/[^']+)'/.exec(scripts[name] ?? '') ?? [];
  return globSync(pattern, { cwd: root });
}

/** A file has tests where it calls them at its top: what others import does so inside of a function. */
function hasTests(file: string): boolean {
  return /^(?:void )?(?:test|describe)\(|^for .*\n(?: .*\n)*? +(?:void )?(?:test|describe)\(/m.test(
    readFileSync(path.join(root, file), 'utf8'),
  );
}

test('every file with tests is run by exactly one script', () => {
  const files = globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] }).filter(
    (file) => /\.(?:test|long|browser|hostile|outside|nspawn|guest)\.ts$/.test(file) || hasTests(file),
  );
  assert.ok(files.length > 200, `only ${files.length} files were found`);
  for (const file of files.filter((each) => each !== 'test/run/shared.ts')) {
    const by = [...runs].filter(([, each]) => each.includes(file)).map(([name]) => name);
    assert.equal(by.length, 1, `${file} is run by ${by.join(' and ') || 'no script'}`);
  }
});

test('no script of tests is empty, and each names the runner that its files were asked of', () => {
  for (const [name, files] of runs) assert.ok(files.length > 0, `${name} runs nothing`);
  assert.equal(scripts['test'], 'node test/run/main.ts');
  assert.equal(scripts['test:long'], 'node test/run/main.ts long');
  assert.equal(scripts['test:browser'], 'node test/run/main.ts browser');
  for (const name of ['test:walk', 'test:line']) {
    const [file = ''] = /test\/\S+\.test\.ts$/.exec(scripts[name] ?? '') ?? [];
    assert.ok(testFiles('quick').includes(file), `${name} names no file of npm test`);
  }
});

test('some files share a process, and some have one of their own', () => {
  const files = testFiles('quick');
  for (const group of [...groupNames, undefined]) {
    assert.ok(
      files.some((file) => groupOf(file) === group),
      `no file is in ${group}`,
    );
  }
});

test('each folder whose files share a process is there, and most files share one', () => {
  const files = testFiles('quick');
  const empty = namedFolders.filter((folder) => !files.some((file) => file.startsWith(`test/${folder}/`)));
  assert.deepEqual(empty, []);
  const own = partsOf(files.filter((file) => groupOf(file) === undefined));
  assert.ok(own.length < files.length / 4, `${files.length} files start ${own.length} processes`);
});
