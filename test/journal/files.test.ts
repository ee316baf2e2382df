import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openJournal } from '../../src/journal/journal.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { JournalError } from '../../src/ports/journal.ts';
import { accepted, draft, numbered } from './events.ts';

let parent: string;
let dir: string;
let file: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'poid-files-'));
  dir = path.join(parent, 'state');
  mkdirSync(dir);
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(parent, { recursive: true }));

const broken = (error: unknown) =>
  error instanceof JournalError && error.code === 'broken' && /removed or replaced/.test(error.message);

const accidents: Readonly<Record<string, () => void>> = {
  unlinked: () => rmSync(file),
  'replaced by a copy': () => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
  'its log unlinked': () => rmSync(`${file}-wal`),
  'its directory renamed': () => renameSync(dir, path.join(parent, 'gone')),
  'its directory replaced': () => {
    renameSync(dir, path.join(parent, 'gone'));
    mkdirSync(dir);
    copyFileSync(path.join(parent, 'gone', 'journal.db'), file);
  },
};

describe('a journal that is not where it was takes no intent', () => {
  for (const [name, happens] of Object.entries(accidents)) {
    test(name, () => {
      const store = new JournalStore(file);
      store.open(numbered(1), accepted('M-1'));
      happens();
      assert.throws(() => store.open(numbered(2), accepted('M-2')), broken);
      assert.throws(() => store.intend(numbered(1), draft()), broken);
      assert.throws(() => store.append(numbered(1), [{ kind: 'receiptQueued' }]), broken);
      store.close();
    });
  }

  test('before its first commit too', () => {
    const store = new JournalStore(file);
    rmSync(file);
    assert.throws(() => store.open(numbered(1), accepted('M-1')), broken);
    store.close();
  });

  test('the daemon is told before anybody wants to pay', async () => {
    const journal = await openJournal(file, { watchMs: 20 });
    rmSync(file);
    assert.ok(broken(await journal.broken));
    await assert.rejects(journal.open(numbered(1), accepted('M-1')), broken);
    await journal.close();
  });
});

describe('a second process is kept away', () => {
  const opener = fileURLToPath(new URL('opener.ts', import.meta.url));
  let child: ChildProcess;
  afterEach(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });

  for (const name of ['unlinked', 'replaced by a copy', 'its log unlinked']) {
    test(`from a journal whose owner lives: ${name}`, async () => {
      child = fork(opener, [file]);
      assert.deepEqual(await once(child, 'message').then(([told]: unknown[]) => told), 'open');
      accidents[name]?.();
      await assert.rejects(openJournal(file), (error) => error instanceof JournalError && error.code === 'in-use');
      // Its owner keeps the name, not the file.
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await (await openJournal(file)).close();
      child = fork(opener, [file]);
      await once(child, 'message');
    });
  }
});

test('its files are its owner’s alone, also where they were not', () => {
  const modes = () =>
    readdirSync(dir).map((name) => `${name} ${(statSync(path.join(dir, name)).mode & 0o777).toString(8)}`);
  const mask = process.umask(0o022);
  try {
    let store = new JournalStore(file);
    store.open(numbered(1), accepted('M-1'));
    assert.deepEqual(modes().toSorted(), ['journal.db 600', 'journal.db-wal 600', 'journal.state 600']);
    store.close();
    chmodSync(file, 0o644);
    store = new JournalStore(file);
    store.open(numbered(2), accepted('M-2'));
    assert.deepEqual(modes().toSorted(), ['journal.db 600', 'journal.db-wal 600', 'journal.state 600']);
    store.close();
  } finally {
    process.umask(mask);
  }
});
