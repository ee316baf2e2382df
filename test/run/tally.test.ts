import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { root } from './files.ts';
import { Tally } from './tally.ts';

/** Three of its tests start openssl. */
const certificates = 'test/base/tls/certificate.test.ts';
/** All of its tests start mosquitto, before the first. */
const brokers = 'test/pos/cloud/metrics.test.ts';
/** None of its tests starts a program. */
const plain = 'test/base/domain/masking.test.ts';

/** Runs test files as main.ts does, on a machine that has no program but Node. */
function ranWithoutPrograms(t: TestContext, files: readonly string[], env: object = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-tally-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const counted = path.join(dir, 'counted');
  const reporter = ['--test-reporter=./test/run/tally-reporter.ts', `--test-reporter-destination=${counted}`];
  const { NODE_TEST_CONTEXT: _, POID_DEMAND_PROGRAMS: __, ...inherited } = process.env;
  const { status } = spawnSync(process.execPath, [...reporter, ...files], {
    cwd: root,
    env: { ...inherited, PATH: dir, ...env },
  });
  const tally = new Tally();
  tally.add(counted);
  return { status, tally };
}

test('a test whose program is missing is skipped, counted, and its file is named', (t) => {
  for (const files of [[certificates], ['test/run/shared.ts', plain, certificates]]) {
    const { status, tally } = ranWithoutPrograms(t, files);
    assert.deepEqual([status, tally.count('failed'), tally.count('skipped')], [0, 0, 3], tally.text());
    assert.ok(tally.count('passed') > 0);
    assert.deepEqual(tally.lackingPrograms, [certificates]);
    assert.match(
      tally.text(),
      /^ {2}3: there is no openssl \(Debian: openssl\)\n# tests \d+\n# pass \d+\n# fail 0\n# skipped 3$/m,
    );
  }
});

test('a file whose hooks start a missing program has each of its tests skipped, and no hook fails', (t) => {
  const { status, tally } = ranWithoutPrograms(t, ['test/run/shared.ts', brokers]);
  assert.equal(status, 0);
  assert.ok(tally.count('skipped') > 0);
  assert.deepEqual([tally.count('passed'), tally.count('failed')], [0, 0]);
  assert.deepEqual(tally.lackingPrograms, [brokers]);
});

test('where every program is demanded, a missing one is a failure', (t) => {
  const { status, tally } = ranWithoutPrograms(t, [certificates], { POID_DEMAND_PROGRAMS: '1' });
  assert.notEqual(status, 0);
  assert.deepEqual([tally.count('failed'), tally.count('skipped')], [3, 0], tally.text());
  assert.deepEqual(tally.lackingPrograms, []);
});
