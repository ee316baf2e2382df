import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buildPrograms } from '../run/build.ts';
import { root } from '../run/files.ts';

const run = promisify(execFile);
/** What Node loads later than a bundle would: TLS, signals, devices that come and go, a restart, time zones. */
const quick = ['sale', 'tls', 'stop', 'restart', 'device-trouble', 'chip-pin', 'wallet', 'time-zone', 'quick-chip'];
const files = [
  ...[...quick, 'host-trouble', 'octopus', 'eps', 'receipt'].map((name) => `${name}.test.ts`),
  ...['killed', 'readers', 'unplugged', 'put-back'].map((name) => `${name}.long.ts`),
];

test('terminals that start from their snapshot: sales, TLS, signals, devices, recovery', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-snapshot-e2e-'));
  t.after(() => rm(dir, { recursive: true }));
  const tree = path.join(dir, 'programs');
  await buildPrograms(tree);
  await run(path.join(tree, 'bin/poid'), ['snapshot']);
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    POID_TEST_PROGRAMS: tree,
    POID_TEST_SNAPSHOT: 'yes',
    CACHE_DIRECTORY: path.join(dir, 'cache'),
  };
  const paths = files.map((name) => path.join(root, `test/e2e/${name}`));
  const options = ['--test', '--test-timeout=200000', '--test-concurrency=2', '--test-reporter=tap'];
  const reported = await run(process.execPath, [...options, ...paths], { env, cwd: root, maxBuffer: 64_000_000 }).catch(
    (error: { readonly stdout: string }) => assert.fail(failuresIn(error.stdout)),
  );
  assert.match(reported.stdout, /^# fail 0$/m);
  assert.match(reported.stdout, /^# pass [1-9]/m);
});

/** Each failed test of a TAP output, with what it says of itself. */
function failuresIn(tap: string): string {
  return tap.match(/^( *)not ok .*$(?:\n\1 {2}---$[\s\S]*?^\1 {2}\.\.\.$)?/gm)?.join('\n') ?? tap.slice(-2_000);
}
