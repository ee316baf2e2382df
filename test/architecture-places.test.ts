import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);

test('what ARCHITECTURE names as the place of a change is there', () => {
  const [, section = assert.fail('no such section')] = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8').split(
    '## Where to change what',
  );
  const [places = ''] = section.split('\n## ');
  const paths = [...places.matchAll(/`((?:src|drivers|hw-sim)\/[^`<*]*)`/g)].map(([, path = '']) => path);
  assert.ok(paths.length > 30);
  assert.deepEqual(
    paths.filter((path) => !existsSync(new URL(path, root))),
    [],
  );
});
