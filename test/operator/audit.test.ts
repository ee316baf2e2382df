import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { OperatorAudit } from '../../src/operator/audit.ts';
import { ManualClock } from '../support/manual-clock.ts';

async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-audit-'));
  t.after(() => rm(dir, { recursive: true }));
  const clock = new ManualClock();
  return { file: path.join(dir, 'operator.jsonl'), clock, audit: new OperatorAudit(dir, clock) };
}

test('each line has the time, who, the session and the step, in the order of the calls; only its owner can read it', async (t) => {
  const { file, clock, audit } = await staged(t);
  const at = clock.now().toISOString();
  await Promise.all([
    audit.write({ session: '12345678', action: 'act', state: 'asked', detail: { amount: '30.00' } }),
    audit.write({ session: '12345678', action: 'act', state: 'done', detail: { amount: '30.00' } }),
  ]);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    ['asked', 'done'].map((state) => ({
      at,
      who: 'OPERATOR',
      session: '12345678',
      action: 'act',
      state,
      detail: { amount: '30.00' },
    })),
  );
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('two files of a mebibyte at most are kept, and the last line is always in the first', async (t) => {
  const { file, audit } = await staged(t);
  const detail = { text: 'x'.repeat(300_000) };
  for (let count = 1; count <= 8; count++) {
    await audit.write({ session: String(count), action: 'act', state: 'asked', detail });
  }
  const sessions = async (name: string) =>
    (await readFile(name, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).session);
  assert.deepEqual(await sessions(`${file}.1`), ['4', '5', '6']);
  assert.deepEqual(await sessions(file), ['7', '8']);
});
