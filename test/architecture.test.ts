import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { cruise, type ICruiseResult } from 'dependency-cruiser';

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: [];
  options: { enhancedResolveOptions: object };
};

async function violations(baseDir: string, folders: string[]): Promise<string[]> {
  const { output } = await cruise(
    folders,
    {
      baseDir,
      ruleSet: { forbidden },
      validate: true,
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
    },
    options.enhancedResolveOptions,
  );
  const { summary } = output as ICruiseResult;
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

let dir: string;
before(async () => {
  dir = await realpath(await mkdtemp(path.join(tmpdir(), 'poid-architecture-')));
  for (const folder of [
    'src/base/domain',
    'src/config',
    'src/main/composition',
    'src/methods/card',
    'src/payment/method',
    'src/payment/terminal',
    'src/pos/api',
    'drivers',
    'hw-sim',
  ]) {
    await mkdir(path.join(dir, folder), { recursive: true });
  }
  await writeFile(path.join(dir, 'package.json'), '{"type":"module"}');
  for (const file of [
    'src/base/domain/amount.ts',
    'drivers/serial.ts',
    'hw-sim/pty.ts',
    'src/config/settings.ts',
    'src/methods/card/method.ts',
    'src/payment/terminal/terminal.ts',
  ]) {
    await writeFile(path.join(dir, file), 'export const here = 1;\n');
  }
});
after(() => rm(dir, { recursive: true }));

// `npm run imports` holds the sources to these rules. A rule that can't be broken proves nothing: each must be noticed.
for (const [rule, from, to] of [
  ['simulator-apart', 'hw-sim/bench.ts', '../src/base/domain/amount.ts'],
  ['simulator-apart', 'hw-sim/reader.ts', '../drivers/serial.ts'],
  ['terminal-apart', 'src/pos/api/cheat.ts', '../../../hw-sim/pty.ts'],
  ['drivers', 'drivers/cheat.ts', '../src/payment/terminal/terminal.ts'],
  ['src-base-domain', 'src/base/domain/cheat.ts', '../../payment/terminal/terminal.ts'],
  ['src-payment-method', 'src/payment/method/cheat.ts', '../../methods/card/method.ts'],
  ['method-list', 'src/main/composition/cheat.ts', '../../methods/card/method.ts'],
  ['method-modules', 'src/methods/card/cheat.ts', '../../config/settings.ts'],
] as const) {
  test(`a forbidden import is noticed: ${from} → ${to}`, async () => {
    const file = path.join(dir, from);
    await writeFile(file, `export { here } from '${to}';\n`);
    try {
      const broken = await violations(dir, ['src', 'drivers', 'hw-sim']);
      assert.ok(
        broken.some((line) => line.startsWith(rule)),
        `${rule} did not notice: ${broken.join('; ')}`,
      );
    } finally {
      await rm(file);
    }
  });
}
