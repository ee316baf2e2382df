import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { methodSamples, methodSettings } from '../../src/config/methods.ts';
import { optionSettings } from '../../src/config/options.ts';
import { sampleNames } from '../../src/config/sample.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of a kind whose file of this name a list imports, and those that have such a file. */
function compare(kind: 'methods' | 'options', file: string, list: string): void {
  const text = readFileSync(`${root}/${list}`, 'utf8');
  const listed = [...text.matchAll(/ from '[./]+\/(\w+)\/([\w-]+\/)?([\w-]+)\.ts'/g)].flatMap(
    ([, folder = '', name = '', own]) => (folder === kind && `${own}.ts` === file ? [name.replace('/', '')] : []),
  );
  const present = globSync(`src/${kind}/*/${file}`, { cwd: root }).map((path) => path.split('/')[2] ?? '');
  assert.ok(present.length > 1);
  assert.deepEqual(listed.toSorted(), present.toSorted(), `${list} and the folders of src/${kind}`);
}

test('each method and each option is in the lists by which it is registered', () => {
  compare('methods', 'settings.ts', 'src/config/methods.ts');
  compare('methods', 'module.ts', 'src/main/methods.ts');
  compare('options', 'settings.ts', 'src/config/options.ts');
  compare('options', 'option.ts', 'src/main/sale-options.ts');
});

test('no two parts have a key of the same name', () => {
  const methods = [...methodSettings].flatMap(({ equipment, sections }) => Object.keys({ ...equipment, ...sections }));
  const options = [...optionSettings].flatMap(({ sections }) => Object.keys(sections));
  const timeouts = [...methodSettings, ...optionSettings].flatMap((part) => Object.keys(part.timeouts));
  for (const names of [[...methods, ...options], timeouts]) assert.equal(new Set(names).size, names.length);
  assert.deepEqual(Object.keys(methodSamples), sampleNames);
});
