import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { rootRefusal } from '../../../src/base/secrets/private-state.ts';
import { asOwnerOf, ownerOf } from '../../../src/base/secrets/state-owner.ts';

const skip = process.getuid?.() === 0 ? false : 'only root has rights to give up';
const [uid, gid] = [64_101, 64_102];
const module = new URL('../../../src/base/secrets/state-owner.ts', import.meta.url).href;

let dir: string;
let state: string;
let victim: string;
beforeEach(() => {
  // Every user may enter this directory, unlike that of a test's run.
  dir = mkdtempSync('/tmp/poid-owner-');
  chmodSync(dir, 0o755);
  [state, victim] = [path.join(dir, 'state'), path.join(dir, 'shadow')];
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(victim, 'secret', { mode: 0o600 });
  if (skip === false) chownSync(state, uid, gid);
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('root at the directory of another user', { skip }, () => {
  test('a directory belongs to the first user but root on its path, links included', () => {
    assert.deepEqual(ownerOf(state), { uid, gid });
    assert.equal(ownerOf(dir), undefined);
    assert.equal(ownerOf(path.join(dir, 'absent/state')), undefined);
    assert.deepEqual(ownerOf(path.join(state, 'absent')), { uid, gid });
    const inside = path.join(state, 'of-root');
    mkdirSync(inside);
    assert.deepEqual(ownerOf(inside), { uid, gid }, 'its owner can replace it');
    const link = path.join(dir, 'link');
    symlinkSync(state, link);
    assert.deepEqual(ownerOf(link), { uid, gid });
    assert.deepEqual(ownerOf(path.join(link, 'absent/too')), { uid, gid });
    const away = path.join(dir, 'away');
    symlinkSync(dir, away);
    lchownSync(away, uid, gid);
    assert.deepEqual(ownerOf(away), { uid, gid }, 'its owner can lead it elsewhere');
  });

  test('for a while: its files are that user’s, root’s are closed, and root is back afterwards', async () => {
    symlinkSync(victim, path.join(state, 'link'));
    await asOwnerOf(state, async () => {
      writeFileSync(path.join(state, 'own'), '');
      assert.throws(() => readFileSync(victim), /EACCES/);
      assert.throws(() => readFileSync(path.join(state, 'link')), /EACCES/);
      assert.throws(() => writeFileSync(path.join(state, 'link'), ''), /EACCES/);
      assert.throws(() => writeFileSync(path.join(dir, 'other'), ''), /EACCES/);
      assert.deepEqual(process.getgroups?.(), [gid]);
      await assert.rejects(
        asOwnerOf(state, async () => undefined),
        /rights of one owner/,
      );
    });
    const { uid: owner, gid: group } = statSync(path.join(state, 'own'));
    assert.deepEqual([owner, group], [uid, gid]);
    await assert.rejects(
      asOwnerOf(state, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.deepEqual([process.geteuid?.(), process.getegid?.()], [0, 0]);
    assert.equal(readFileSync(victim, 'utf8'), 'secret');
  });

  test('for good: no way back, and no group is kept', () => {
    const program = `
      import { becomeOwnerOf } from ${JSON.stringify(module)};
      import fs from 'node:fs';
      becomeOwnerOf(${JSON.stringify(state)});
      const tried = (act) => { try { act(); return 'done'; } catch ({ code }) { return code; } };
      console.log(JSON.stringify([
        process.getuid(), process.geteuid(), process.getgid(), process.getgroups(),
        tried(() => process.seteuid(0)), tried(() => process.setuid(0)), tried(() => fs.readFileSync(${JSON.stringify(victim)})),
      ]));`;
    const words = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: '/' });
    assert.deepEqual(JSON.parse(stdout || stderr), [uid, uid, gid, [gid], 'EPERM', 'EPERM', 'EACCES']);
  });

  test('for good: that user can’t write the memory of the process, unless it starts another program', (t) => {
    if (readFileSync('/proc/sys/fs/suid_dumpable', 'utf8').trim() === '1') return t.skip('this machine allows it');
    const program = `
      import { becomeOwnerOf } from ${JSON.stringify(module)};
      import { spawnSync } from 'node:child_process';
      becomeOwnerOf(${JSON.stringify(state)});
      // A process of the same user that tries: first at this one, then at one that this one has started.
      const tries = 'f=/proc/$1/mem; if (exec 3<>"$f") 2> /dev/null; then echo writable; else echo closed; fi';
      const run = (words) => spawnSync('sh', words, { encoding: 'utf8' }).stdout.trim();
      console.log(run(['-c', tries, 'sh', String(process.pid)]), run(['-c', 'sh -c "$0" sh $$', tries]));`;
    const words = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', cwd: '/' });
    assert.equal(stdout, 'closed writable\n', stderr);
  });

  test('root does not run the terminal there', () => {
    assert.match(
      rootRefusal({ stateDir: state }) ?? '',
      /belongs to another user: root does not run the terminal on it/,
    );
    assert.match(rootRefusal({ stateDir: path.join(state, 'absent') }) ?? '', /belongs to another user/);
    assert.equal(rootRefusal({ stateDir: path.join(dir, 'absent') }), undefined);
  });

  test('root’s own directory leaves root as it is', async () => {
    await asOwnerOf(dir, async () => writeFileSync(path.join(dir, 'own'), ''));
    assert.ok(existsSync(path.join(dir, 'own')));
    assert.equal(statSync(path.join(dir, 'own')).uid, 0);
  });
});
