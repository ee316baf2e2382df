import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);

test('docs/compatibility.md names tests that are there', () => {
  const text = readFileSync(new URL('docs/compatibility.md', root), 'utf8');
  const named = [...text.matchAll(/\btest\/[\w/.-]*\w/g)].map(([name]) => name);
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((name) => !existsSync(new URL(name, root))),
    [],
  );
});
