import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processFlags } from '../../src/admin/snapshot-command.ts';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const run = promisify(execFile);

let tree: string;
beforeEach(async () => {
  tree = await mkdtemp(path.join(tmpdir(), 'poid-launcher-'));
  await cp(bin, path.join(tree, 'bin'), { recursive: true });
  await mkdir(path.join(tree, 'node_modules/.bin'), { recursive: true });
  await symlink(process.execPath, path.join(tree, 'node_modules/.bin/node'));
  await mkdir(path.join(tree, 'dist'));
  const reported = "{ arenas: process.env['MALLOC_ARENA_MAX'] ?? 'as glibc does', flags: process.execArgv }";
  await writeFile(path.join(tree, 'dist/cli.js'), `console.log(JSON.stringify(${reported}));`);
});
afterEach(() => rm(tree, { recursive: true }));

/** What a bundle's process finds in its environment, and which flags it has. */
async function started(subcommand: string, env: Readonly<Record<string, string>> = {}) {
  const inherited = { ...process.env, MALLOC_ARENA_MAX: undefined, ...env };
  const { stdout } = await run(path.join(tree, 'bin/poid'), [subcommand], { env: inherited });
  return JSON.parse(stdout) as { readonly arenas: string; readonly flags: readonly string[] };
}

async function arenas(subcommand: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await started(subcommand, env)).arenas;
}

test('the process has the flags that a snapshot belongs to', async () => {
  assert.deepEqual((await started('run')).flags, processFlags);
});

test('the daemon’s threads share two arenas of memory, if nobody has said otherwise', async () => {
  assert.equal(await arenas('run'), '2');
  assert.equal(await arenas('run', { POID_SNAPSHOT: 'no' }), '2');
  assert.equal(await arenas('run', { MALLOC_ARENA_MAX: '4' }), '4');
  assert.equal(await arenas('doctor'), 'as glibc does');
});
