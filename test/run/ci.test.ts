import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fullTierOnly, root, testFiles } from './files.ts';

const ci = path.join(root, '.ci/run');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

function steps(tier: string): string[] {
  return execFileSync('bash', [ci, '--list'], { env: { ...process.env, CI_TIER: tier }, encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** The scripts that these steps run. */
function scriptsOf(tier: string): string[] {
  return steps(tier).map((step) => {
    if (step.startsWith('npm test')) return 'test';
    return / ?npm run ([a-z:]+)/.exec(step)?.[1] ?? step;
  });
}

/** Not in CI: what they are about is the machine, or a figure, and not whether a change is right. */
const elsewhere: ReadonlySet<string> = new Set(['test:fleet', 'test:hostile', 'test:powercut']);
/** Only in the full tier. */
const fullOnly: ReadonlySet<string> = new Set(['test:image']);
/** What `npm run check` runs, and the benchmarks as a test. */
const checks = ['lint', 'format:check', 'types', 'imports', 'unused', 'bench'];

describe('.ci/run', () => {
  test('each tier runs every check and every script of tests once; a commit runs no disk image', () => {
    const tests = Object.keys(scripts).filter((name) => /^test(?::|$)/.test(name) && !elsewhere.has(name));
    assert.ok(tests.length > 10);
    const all = ['npm ci', ...tests, ...checks];
    assert.deepEqual(scriptsOf('full').toSorted(), all.toSorted());
    assert.deepEqual(scriptsOf('commit').toSorted(), all.filter((name) => !fullOnly.has(name)).toSorted());
    for (const name of fullOnly) assert.ok(scripts[name] !== undefined, name);
    for (const name of elsewhere) assert.ok(scripts[name] !== undefined, name);
  });

  test('the full tier chooses no files, no tests, and no fewer seeds than a script’s own', () => {
    const full = steps('full').join('\n');
    assert.doesNotMatch(full, /\.ts\b|--only|--tier|--kills|--inputs|SEEDS=|--target/);
    assert.match(full, /test:faults -- --seeds 2000 /);
  });

  test('the tier of a commit chooses files and tests that are there', () => {
    const chosen = steps('commit').join(' ');
    const files = chosen.match(/test\/\S+\.ts/g) ?? [];
    const guests = globSync('test/firmware/*.guest.ts', { cwd: root });
    assert.ok(files.length > 0);
    for (const file of files) assert.ok(guests.includes(file), file);
    assert.ok(testFiles('quick').length > 0);
    const long = testFiles('long');
    assert.equal(steps('commit').filter((step) => step.endsWith(' --tier commit')).length, 2);
    for (const file of fullTierOnly) assert.ok(long.includes(file), file);
    assert.ok(fullTierOnly.size < long.length / 2);
    const packages =
      readFileSync(path.join(root, 'test/packaging/main.ts'), 'utf8').match(/test\/packaging\/\w[\w-]*\.nspawn\.ts/g) ??
      [];
    assert.ok(packages.length > 0);
    for (const file of packages) assert.ok(existsSync(path.join(root, file)), file);
  });

  test('a tier of another name is refused by the runner', () => {
    const { status, stderr } = spawnSync(process.execPath, ['test/run/main.ts', 'long', '--tier', 'x'], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /--tier is commit or full/);
  });

  test('another tier is refused', () => {
    const { status, stderr } = spawnSync('bash', [ci, '--list'], {
      env: { ...process.env, CI_TIER: 'x' },
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [2, 'CI_TIER is commit or full\n']);
  });

  test('its seeds are those of the commit', () => {
    const seeds = steps('commit').flatMap((step) => /(?:--seed |WALK_SEED=)(\d+)/.exec(step)?.[1] ?? []);
    assert.ok(seeds.length > 2);
    assert.equal(new Set(seeds).size, 1);
    const commit = spawnSync('git', ['-c', 'safe.directory=*', 'rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
    if (commit.status === 0) assert.equal(seeds[0], String(Number.parseInt(commit.stdout.slice(0, 7), 16)));
  });
});
