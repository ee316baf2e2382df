import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { Poid } from '../cli/poid.ts';
import { sourcesCommand } from '../support/programs.ts';
import { approved, ShopJournal } from './shop-journal.ts';

/** Another user must be able to read the command, unlike the bundle of a test's run. */
const skip = skipReason();
const [uid, gid] = [64_101, 64_102];
const watched = ['flock', 'systemctl', 'timedatectl', 'chronyc'];

let dir: string;
let state: string;
let log: string;

/** A state directory of another user, and programs that note whose they are. */
beforeEach(() => {
  dir = mkdtempSync('/tmp/poid-programs-');
  chmodSync(dir, 0o755);
  state = path.join(dir, 'state');
  log = path.join(dir, 'log');
  const programs = path.join(dir, 'programs');
  for (const each of [state, programs]) mkdirSync(each);
  // Where the owner makes a copy: the directory of a test's run is closed to other users.
  mkdirSync(path.join(dir, 'tmp'));
  chmodSync(path.join(dir, 'tmp'), 0o1777);
  writeFileSync(log, '');
  chmodSync(log, 0o666);
  for (const name of watched) {
    const file = path.join(programs, name);
    writeFileSync(file, `#!/bin/sh\necho "${name} $(id -u)" >> ${log}\nPATH=\${PATH#*:}\nexec ${name} "$@"\n`);
    chmodSync(file, 0o755);
  }
  const journal = new ShopJournal(state);
  journal.sell(approved);
  journal.store.close();
  if (skip !== false) return;
  for (const each of readdirSync(state)) chownSync(path.join(state, each), uid, gid);
  chownSync(state, uid, gid);
  chmodSync(state, 0o700);
});
afterEach(() => rmSync(dir, { recursive: true }));

function skipReason(): string | false {
  if (process.getuid?.() !== 0) return 'only root has rights to give up';
  for (let at = path.dirname(sourcesCommand); at !== path.dirname(at); at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return `other users can't enter ${at}`;
  }
  return false;
}

async function runnersOf(t: TestContext, ...words: string[]): Promise<readonly string[]> {
  writeFileSync(log, '');
  const env = { PATH: `${path.join(dir, 'programs')}:${process.env['PATH']}`, TMPDIR: path.join(dir, 'tmp') };
  const { code, err } = await new Poid(t, words, { env, program: sourcesCommand }).ended;
  assert.ok(code === 0 || code === 3, err);
  return readFileSync(log, 'utf8').trim().split('\n');
}

/** What the owner of the state directory runs could write to the memory of a program that runs as that owner. */
describe('a command of root’s that takes on the rights of the state directory’s owner', { skip }, () => {
  for (const [words, ran] of [
    [['unsettled', '--json'], ['flock 0']],
    [['journal', 'list'], ['']],
  ] as const) {
    test(`poid ${words.join(' ')} runs no program with them`, async (t) => {
      assert.deepEqual(await runnersOf(t, ...words, '--state-dir', state), ran);
    });
  }
});
