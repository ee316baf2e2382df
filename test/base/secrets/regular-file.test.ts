import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { readRegularSync } from '../../../src/base/secrets/regular-file.ts';
import { appendSecret, readSecret, writeSecret } from '../../../src/base/secrets/secret-file.ts';

let dir: string;
let victim: string;
const at = (name: string) => path.join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-regular-'));
  victim = at('shadow');
  writeFileSync(victim, 'secret');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** What stands in the place of a file, and the system's word for it. */
const places = [
  ['a link', (file: string) => symlinkSync(victim, file), /\(ELOOP\): it must be a regular file, not a link/],
  ['a FIFO', (file: string) => execFileSync('mkfifo', [file]), /\(EINVAL\): it must be a regular file/],
  ['a directory', (file: string) => mkdirSync(file), /\(EISDIR\)/],
  ['a huge file', makeHuge, /\(EFBIG\): it is too large/],
] as const;

function makeHuge(file: string): void {
  writeFileSync(file, '');
  truncateSync(file, 2 ** 40);
}

for (const [what, put, sentence] of places) {
  test(`a secret is not read from ${what}`, async () => {
    put(at('pairings.json'));
    await assert.rejects(readSecret(at('pairings.json')), sentence);
  });
}

for (const [what, put] of places.slice(0, 3)) {
  test(`nothing is added to ${what}`, async () => {
    put(at('pairings.revoked'));
    await assert.rejects(appendSecret(at('pairings.revoked'), 'x'));
    assert.equal(readFileSync(victim, 'utf8'), 'secret');
  });
}

test('what has the name of a half-written file is replaced, never written to', async () => {
  for (let ordinal = 1; ordinal <= 200; ordinal++)
    symlinkSync(victim, at(`operator.json.${process.pid}-${ordinal}.new`));
  await writeSecret(at('operator.json'), 'new');
  assert.equal(readFileSync(at('operator.json'), 'utf8'), 'new');
  assert.equal(readFileSync(victim, 'utf8'), 'secret');
});

test('a file is replaced where a link has its name', async () => {
  symlinkSync(victim, at('operator.json'));
  await writeSecret(at('operator.json'), 'new');
  assert.equal(readFileSync(at('operator.json'), 'utf8'), 'new');
  assert.equal(readFileSync(victim, 'utf8'), 'secret');
});

test('the machine’s files are read through a link, and no FIFO is waited for', () => {
  symlinkSync(victim, at('link'));
  assert.equal(readRegularSync(at('link')), 'secret');
  execFileSync('mkfifo', [at('fifo')]);
  assert.throws(() => readRegularSync(at('fifo')), /is not a regular file/);
});
