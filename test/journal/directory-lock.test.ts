import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { DirectoryLock } from '../../src/journal/directory-lock.ts';

const module = new URL('../../src/journal/directory-lock.ts', import.meta.url).href;
const isHeld = { code: 'in-use' };

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync('/tmp/poid-lock-');
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('one holds it, in this process or another, until it is released', async () => {
  const lock = await DirectoryLock.take(file);
  await assert.rejects(DirectoryLock.take(file), isHeld);
  const program = `const { DirectoryLock } = await import(${JSON.stringify(module)});
    await DirectoryLock.take(${JSON.stringify(file)}).catch((error) => console.log(error.code));`;
  const other = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.equal(other.stdout, 'in-use\n', other.stderr);
  lock.release();
  (await DirectoryLock.take(file)).release();
});

test('a file that is removed or made anew changes nothing', async () => {
  writeFileSync(file, '');
  const lock = await DirectoryLock.take(file);
  rmSync(file);
  await assert.rejects(DirectoryLock.take(file), isHeld);
  writeFileSync(file, '');
  await assert.rejects(DirectoryLock.take(file), isHeld);
  lock.release();
});

test('who is killed holds it no more, and the programs that it has started never do', async () => {
  const program = `const { DirectoryLock } = await import(${JSON.stringify(module)});
    const { spawn } = await import('node:child_process');
    await DirectoryLock.take(${JSON.stringify(file)});
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    console.log(child.pid);
    setInterval(() => undefined, 1_000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [started] = (await once(holder.stdout, 'data')) as [Buffer];
  await assert.rejects(DirectoryLock.take(file), isHeld);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  try {
    (await DirectoryLock.take(file)).release();
  } finally {
    process.kill(Number(started.toString()));
  }
});

test('a user who may not read the directory can’t hold it', { skip: process.getuid?.() !== 0 }, async () => {
  const { dev, ino } = statSync(dir, { bigint: true });
  // The names by which an earlier version locked it, which anybody may take; and the directory itself.
  const stranger = spawn(
    process.execPath,
    [
      '-e',
      `process.setgid(65534); process.setuid(65534);
       require('node:net').createServer().listen('\\0poid journal ${dev}:${ino} journal.db', () => {
         try { require('node:fs').openSync(${JSON.stringify(dir)}, 'r'); console.log('opened'); } catch (error) { console.log(error.code); }
       });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = (await once(stranger.stdout, 'data')) as [Buffer];
  assert.equal(said.toString(), 'EACCES\n');
  (await DirectoryLock.take(file)).release();
  stranger.kill('SIGKILL');
  await once(stranger, 'exit');
});

test('a directory that is not there, or is none', async () => {
  await assert.rejects(DirectoryLock.take(path.join(dir, 'none/journal.db')), { code: 'storage' });
  writeFileSync(path.join(dir, 'file'), '');
  await assert.rejects(DirectoryLock.take(path.join(dir, 'file/journal.db')), { code: 'storage' });
});
