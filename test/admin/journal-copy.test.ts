import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { approved, ShopJournal } from './shop-journal.ts';

const program = `
  import { withJournalCopy } from '${new URL('../../src/admin/journal/copy.ts', import.meta.url).href}';
  await withJournalCopy(process.argv[1], async () => {
    process.stdout.write('reading');
    await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  });`;

/** A command that reads a copy of the journal until its input ends. Resolves once it reads. */
async function reader(t: TestContext, stateDir: string, copies: string) {
  const words = ['--input-type=module', '--eval', program, stateDir];
  const child = spawn(process.execPath, words, { env: { ...process.env, TMPDIR: copies } });
  t.after(() => child.kill('SIGKILL'));
  child.stderr.pipe(process.stderr);
  await once(child.stdout, 'data');
  return child;
}

test('the copy of a killed command is removed by the next one, that of a running one is not', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-copies-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const [stateDir, copies] = [path.join(dir, 'state'), path.join(dir, 'copies')];
  for (const each of [stateDir, copies]) mkdirSync(each);
  const shop = new ShopJournal(stateDir);
  shop.sell(approved);
  shop.store.close();
  const killed = await reader(t, stateDir, copies);
  const running = await reader(t, stateDir, copies);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  assert.equal(readdirSync(copies).length, 2);
  const next = await reader(t, stateDir, copies);
  const pids = readdirSync(copies).map((name) => Number(name.split('-')[2]));
  assert.deepEqual(new Set(pids), new Set([running.pid, next.pid]));
  for (const each of [running, next]) {
    each.stdin.end();
    await once(each, 'close');
  }
  assert.deepEqual(readdirSync(copies), []);
});
