import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { configurationJsonSchema, referenceLines } from '../../src/config/reference.ts';

const file = new URL('../../docs/configuration.md', import.meta.url);
const [begin, end] = ['<!-- settings -->\n', '\n<!-- end of settings -->'];

test('docs/configuration.md has every setting as the schema has it (POID_EXAMPLES=write writes them)', () => {
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  assert.ok(from >= begin.length && to > from, 'it has no place for them');
  const lines = referenceLines().join('\n');
  if (process.env['POID_EXAMPLES'] === 'write') writeFileSync(file, `${text.slice(0, from)}${lines}${text.slice(to)}`);
  else assert.equal(text.slice(from, to), lines);
});

test('a setting has its path, its values, its default and its meaning; a section and a list have theirs', () => {
  const lines = referenceLines();
  const line = (setting: string) => lines.find((each) => each.startsWith(`| \`${setting}\` |`)) ?? assert.fail(setting);
  assert.match(line('timeouts.collectMs'), /\| 1 to 86400000 \| `120000` \| how long a customer may take/);
  assert.match(line('receipt.printedBy'), /`terminal`, `pos` \| `"terminal"`/);
  assert.match(line('shop.name'), /\| text \| required \|/);
  assert.match(line('acquirers[].tid'), /terminal id, field 41/);
  assert.ok(lines.length > 100);
});

test('the JSON Schema is of draft 2020-12, and closed', () => {
  const schema = configurationJsonSchema();
  assert.partialDeepStrictEqual(schema, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
  });
});

test('the JSON Schema has no format, and no pattern that only one language reads', () => {
  const text = JSON.stringify(configurationJsonSchema());
  assert.doesNotMatch(text, /"format":/);
  assert.doesNotMatch(text, /\\\\[pP]\{/);
  assert.match(text, /"pattern":"\^\[Hh\]/);
});
