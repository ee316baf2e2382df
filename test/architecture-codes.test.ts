import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A host's code has a meaning in its adapter alone. These folders hold codecs, whose tags look the same. */
const codecs = [
  'src/hosts/',
  'src/codecs/emv/',
  'src/codecs/iso8583/',
  'src/codecs/qr/',
  'drivers/octopus/',
  'drivers/card-reader/',
];

const root = fileURLToPath(new URL('..', import.meta.url));

/** Two digits are a value of field 39, four a respcd. */
const code = String.raw`'(?:\d{2}|\d{4})'`;

/** What decides by a code: a comparison, a case, a list that is nothing but codes, a table by code. */
const decisions = [
  new RegExp(String.raw`[=!]==? ${code}`),
  new RegExp(String.raw`${code} [=!]==? `),
  new RegExp(String.raw`\bcase ${code}:`),
  new RegExp(String.raw`[=(:] \[${code}(?:, ${code})*\]|^\[${code}(?:, ${code})*\]`),
  new RegExp(String.raw`^\s*${code}: `),
  new RegExp(String.raw`\.includes\(${code}\)|\.has\(${code}\)`),
  // A constant that somebody may compare with. What was approved without a host has the code of an approval.
  new RegExp(String.raw`const \w+(?:: \w+)? = (?!'00')${code};`),
  // Octopus: 100001 to 101005.
  /\b10[01]_?0(?!00)\d\d\b/,
];

/** Lines that decide by a code. */
function decidingLines(text: string): string[] {
  return text.split('\n').filter((line) => decisions.some((decision) => decision.test(line)));
}

test('no code of a host or of Octopus decides anything outside its adapter', () => {
  const files = globSync('{src,drivers}/**/*.ts', { cwd: root }).filter(
    (file) => !codecs.some((codec) => file.startsWith(codec)),
  );
  assert.ok(files.length > 150, `only ${files.length} files were read`);
  const found = files.flatMap((file) =>
    decidingLines(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(found, []);
});

test('a decision by a code is noticed', () => {
  for (const line of [
    "  return hostOutcome.responseCode === '51' || other;",
    "  if ('1201' === responseCode) return;",
    "    case '91':",
    "const insertCodes: readonly string[] = ['65', '70'];",
    "  '55': 'wrong PIN',",
    "const alreadyThere = '94';",
    '  return { ...declined(100_048), balanceMinor };',
    '  if (code === 101005) return;',
  ]) {
    assert.deepEqual(decidingLines(line), [line]);
  }
  for (const line of ["  responseCode: '00',", 'const recentEvents = 100_000;', "const tvr = last['95'];"]) {
    assert.deepEqual(decidingLines(line), []);
  }
});
