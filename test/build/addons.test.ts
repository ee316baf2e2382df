import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BuildError, checkPackagedAddons, compileAddon, machines, ownAddons } from '../../build/addons.ts';
import { needs } from '../support/needs.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

function ownDirectory(t: TestContext): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-build-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

function refused(why: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof BuildError);
    assert.match(error.message, why);
    return true;
  };
}

describe('the addons of a build', () => {
  for (const machine of machines) {
    for (const name of ownAddons) {
      const cross = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;
      const options = machine === process.arch ? {} : needs(cross[machine]);
      test(`${name} is made for ${machine}, the same bytes twice`, options, async (t) => {
        const dir = ownDirectory(t);
        const [first, second] = [path.join(dir, 'first.node'), path.join(dir, 'second.node')];
        for (const file of [first, second]) await compileAddon(name, file, machine);
        assert.deepEqual(readFileSync(first), readFileSync(second));
        const elf = execFileSync('readelf', ['-h', first], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
        assert.match(elf, { x64: /Machine: +Advanced Micro Devices X86-64/, arm64: /Machine: +AArch64/ }[machine]);
      });
    }

    test(`the packages have theirs for ${machine}`, () => checkPackagedAddons(modules, machine));
  }

  test('without a compiler: a sentence', async (t) => {
    const file = path.join(ownDirectory(t), 'x.node');
    const env = { CC: '/nonexistent/cc', CROSS_CC: '/nonexistent/cc' };
    for (const machine of machines) {
      await assert.rejects(
        compileAddon('sd-notify', file, machine, env),
        refused(new RegExp(`no C compiler for ${machine}: /nonexistent/cc`)),
      );
    }
  });

  test('a compiler that makes another machine’s: a sentence', async (t) => {
    const [own, other] = process.arch === 'arm64' ? (['arm64', 'x64'] as const) : (['x64', 'arm64'] as const);
    const file = path.join(ownDirectory(t), 'x.node');
    await compileAddon('sd-notify', file, own);
    const env = { PATH: process.env['PATH'], CROSS_CC: 'cc' };
    await assert.rejects(compileAddon('sd-notify', file, other, env), refused(new RegExp(`no addon for ${other}`)));
  });

  test('a package that npm left out, and one whose file is another machine’s: a sentence', async (t) => {
    const dir = ownDirectory(t);
    await assert.rejects(
      checkPackagedAddons(dir, 'arm64'),
      refused(/the build for arm64 lacks .*bindings-cpp.*ENOENT/),
    );
    const serialport = '@serialport/bindings-cpp/prebuilds/linux-arm64/@serialport+bindings-cpp.armv8.glibc.node';
    mkdirSync(path.dirname(path.join(dir, serialport)), { recursive: true });
    writeFileSync(path.join(dir, serialport), 'text');
    await assert.rejects(checkPackagedAddons(dir, 'arm64'), refused(/is no addon for arm64/));
    cpSync(path.join(modules, serialport), path.join(dir, serialport));
    await assert.rejects(checkPackagedAddons(dir, 'arm64'), refused(/lacks .*node-hid/));
  });

  test('a build without one leaves nothing that could be installed', (t) => {
    const dir = path.join(ownDirectory(t), 'dist');
    const bundle = fileURLToPath(new URL('../../build/bundle.ts', import.meta.url));
    const build = (env: object) =>
      execFileSync(process.execPath, [bundle, dir], {
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, ...env },
      });
    assert.throws(
      () => build({ CC: '/nonexistent/cc' }),
      (error: { status: number; stderr: string }) =>
        error.status === 1 && /^build: there is no C compiler for \w+: [^\n]*\n$/.test(error.stderr),
    );
    assert.throws(() => readFileSync(path.join(dir, 'cli.js')), { code: 'ENOENT' });
  });
});
