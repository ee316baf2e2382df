import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { runtimeProgram } from '../../packaging/target-modules.ts';
import { modules } from './own-sbom.ts';

const machine = process.arch === 'arm64' ? 'arm64' : 'x64';
const page = readFileSync(new URL('../../docs/runtime.md', import.meta.url), 'utf8');
const program = runtimeProgram(modules, machine);

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The cell of docs/runtime.md for this machine. */
function readRecord(row: RegExp): string | undefined {
  const line = page.split('\n').find((each) => row.test(each)) ?? '';
  return [...line.matchAll(/`([0-9a-f]{64})`/g)][machine === 'x64' ? 0 : 1]?.[1];
}

test('docs/runtime.md records the runtime that the build takes, and its version', () => {
  assert.equal(readRecord(/^\| bin\/node of the npm package/), digestOf(program));
  const { version } = JSON.parse(readFileSync(path.join(modules, `node-linux-${machine}/package.json`), 'utf8'));
  assert.ok(page.includes(`SHA-256 of Node ${version}:`));
  assert.ok(page.includes(`version=v${version} `));
});

const binutils = spawnSync('strip', ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0] ?? '';
const skip = binutils.endsWith(' 2.40')
  ? {}
  : { skip: `the record is of binutils 2.40, and this is ${binutils || 'none'}` };

test('the package has that program without its symbols', skip, (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-runtime-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const stripped = path.join(dir, 'node');
  execFileSync('strip', ['--strip-unneeded', '-o', stripped, program]);
  assert.equal(readRecord(/^\| \/usr\/lib\/poid\/bin\/node/), digestOf(stripped));
});
