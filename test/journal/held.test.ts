import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterEach, beforeEach, test } from 'node:test';
import { checkHolders } from '../../src/admin/doctor/stopped.ts';
import { claimState } from '../../src/main/composition/state.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import type { Log } from '../../src/observability/log.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-held-'));
  file = path.join(dir, 'journal.db');
  await (await openJournal(file)).close();
});
afterEach(() => rmSync(dir, { recursive: true }));

const log: Log = { info: () => undefined, warn: () => undefined, failure: () => undefined };

/** A program that is no poid, and that does this to the database until it is killed. */
async function hold(sql: string): Promise<ChildProcess> {
  const program = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    ${sql}
    console.log('holds');
    setInterval(() => undefined, 60_000);`;
  const child = spawn(process.execPath, ['--no-warnings', '-e', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line === 'holds') break;
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function start(): Promise<void> {
  const configuration = { stateDir: dir, retention: { days: 400 } } as Configuration;
  const state = await claimState(configuration, log, [], () => undefined);
  try {
    await state.opening;
  } finally {
    await state.close();
  }
}

for (const [what, sql] of [
  ['reads', "database.exec('BEGIN'); database.prepare('SELECT count(*) FROM sqlite_schema').get();"],
  ['writes', "database.exec('BEGIN EXCLUSIVE');"],
] as const) {
  test(`a program that ${what} holds the journal: it is named, and the journal opens once it has ended`, async () => {
    const child = await hold(sql);
    const named = new RegExp(`another program holds the file of the journal: \\S+ \\(process ${child.pid}\\)$`);
    try {
      await assert.rejects(openJournal(file), { code: 'held', message: named });
      await assert.rejects(start(), ({ message }: Error) => {
        assert.match(message, named);
        assert.doesNotMatch(message, /another poid|damaged/);
        return message.startsWith(`the journal in ${dir} can't be opened: `);
      });
      const held = checkHolders(dir) ?? assert.fail('the doctor has not noticed');
      assert.equal(held.verdict, 'FAIL');
      assert.match(held.detail, named);
    } finally {
      await end(child);
    }
    await start();
    assert.equal(checkHolders(dir), undefined);
  });
}

test('another poid is told as that', async () => {
  const journal = await openJournal(file);
  try {
    await assert.rejects(openJournal(file), { code: 'in-use' });
    await assert.rejects(start(), { message: `another poid runs on the state directory ${dir}` });
  } finally {
    await journal.close();
  }
});

test('while the journal is open, no other program can take it', async () => {
  const journal = await openJournal(file);
  try {
    const sql = `try { database.exec('BEGIN IMMEDIATE'); process.exit(1); } catch (error) { if (error.errcode !== 5) throw error; }`;
    const child = await hold(sql);
    await end(child);
    assert.equal(await journal.health(), 'ok');
  } finally {
    await journal.close();
  }
});
