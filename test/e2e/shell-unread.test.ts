import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { command } from '../support/programs.ts';
import { ShellTill } from './shell-till.ts';
import { Stage } from './stage.ts';

/** Commands whose output nobody reads, or whose disk is full: `| head`, a closed window, /dev/full. */

let stage: Stage;
before(async () => {
  stage = await Stage.open({ hosts: ['EDC'] });
});
after(() => stage.close());

/** A line of a shell, with `poid` in it; resolves with its exit code, and what stands on standard error. */
async function shell(line: string, environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, POID_TERMINAL: stage.apiUrl, POID: command, ...environment };
  const child = spawn('bash', ['-c', `set -o pipefail; ${line.replace(/^poid /, '"$POID" ')}`], { env });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.resume();
  const [code] = await once(child, 'close');
  return { code: code as number, err };
}

const visa = () => `--card visa --sim ${stage.simUrl}`;

describe('a payment whose output nobody reads is seen to its end, and its code is that of its outcome', () => {
  for (const [what, line] of [
    ['a reader that has gone', `poid pay 30 VISA 2>&1 | true`],
    ['a reader of JSON that has gone', `poid pay 30 VISA --json | true`],
    ['a full disk', `poid pay 30 VISA >/dev/full`],
    ['a full disk for both', `poid pay 30 VISA >/dev/full 2>&1`],
  ] as const) {
    test(`${what}: approved is 0, and posted once`, async () => {
      const before = (await stage.posted()).length;
      const { code, err } = await shell(line.replace('VISA', visa()));
      assert.equal((await stage.posted()).length, before + 1);
      assert.equal(code, 0, err);
    });
  }

  test('declined is 4', async () => {
    await stage.host('EDC', { decline: '51' });
    const { code } = await shell(`poid pay 30 ${visa()} 2>&1 | true`);
    await stage.host('EDC', { mode: 'up' });
    assert.equal(code, 4);
  });

  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    test(`${signal}, and the reader has gone: cancelled is 5, and the terminal idle`, async () => {
      const before = (await stage.posted()).length;
      const till = new ShellTill(stage.apiUrl, ['pay', '30']);
      await till.says(/present a card/);
      till.stopReading();
      till.interrupt(signal);
      const { code } = await till.ended;
      assert.equal((await stage.status()).state, 'idle');
      assert.equal(code, 5);
      assert.equal((await stage.posted()).length, before);
    });
  }
});

describe('a command that only prints', () => {
  for (const words of [
    'status',
    'transactions',
    'report --csv',
    'events',
    'journal list',
    'journal export --csv',
    '--help',
  ]) {
    test(`${words}: 1 for a full disk, 0 for a reader that has enough`, async () => {
      const line = `poid ${words} ${words.startsWith('journal') ? `--state-dir ${stage.stateDir}` : ''}`;
      const full = await shell(`${line} >/dev/full`);
      assert.equal(full.code, 1, full.err);
      assert.match(full.err, /standard output can't be written \(ENOSPC\)\n$/);
      const enough = await shell(`${line} | true`);
      assert.deepEqual(enough, { code: 0, err: '' });
    });
  }

  test('a journal’s copy is removed, whoever ends the command', async () => {
    const copies = path.join(stage.dir, 'copies');
    await mkdir(copies);
    await shell(`poid journal export --csv --state-dir ${stage.stateDir} | true`, { TMPDIR: copies });
    assert.deepEqual(await readdir(copies), []);
    const program = `
      import { withJournalCopy } from '${new URL('../../src/admin/journal/copy.ts', import.meta.url).href}';
      await withJournalCopy(process.argv[1], async () => {
        console.log('reading');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const words = ['--input-type=module', '--eval', program, stage.stateDir];
      const child = spawn(process.execPath, words, { env: { ...process.env, TMPDIR: copies } });
      await once(child.stdout, 'data');
      assert.equal((await readdir(copies)).length, 1);
      child.kill(signal);
      await once(child, 'close');
      assert.deepEqual(await readdir(copies), [], signal);
    }
  });
});
