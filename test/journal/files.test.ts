import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
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

const gone = (error: unknown) =>
  error instanceof JournalError &&
  error.code === 'gone' &&
  /removed, replaced or written by others/.test(error.message);

/** What is written over the file that is open: its inode stays. */
function overwritten(bytes: Buffer): void {
  writeFileSync(file, bytes, { flag: 'r+' });
  truncateSync(file, bytes.length);
}

/** Another, smaller journal. */
function older(): string {
  const copy = path.join(parent, 'older.db');
  new JournalStore(copy).close();
  return copy;
}

const accidents: Readonly<Record<string, () => void>> = {
  unlinked: () => rmSync(file),
  'replaced by a copy': () => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
  'its log unlinked': () => rmSync(`${file}-wal`),
  'an older copy written over it': () => overwritten(readFileSync(older())),
  'a copy of the same size written over it': () => overwritten(readFileSync(file)),
  truncated: () => truncateSync(file, 4096),
  'its log truncated': () => truncateSync(`${file}-wal`, 0),
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
      new JournalStore(file).close();
      // Written to long ago, by its own reckoning.
      utimesSync(file, 1, 1);
      const store = new JournalStore(file);
      store.open(numbered(1), accepted('M-1'));
      happens();
      assert.throws(() => store.open(numbered(2), accepted('M-2')), gone);
      assert.throws(() => store.intend(numbered(1), draft()), gone);
      assert.throws(() => store.append(numbered(1), [{ kind: 'receiptQueued' }]), gone);
      store.close();
    });
  }

  test('before its first commit too', () => {
    const store = new JournalStore(file);
    rmSync(file);
    assert.throws(() => store.open(numbered(1), accepted('M-1')), gone);
    store.close();
  });

  test('the next start says so, and reads through what it finds', () => {
    let store = new JournalStore(file);
    store.open(numbered(1), accepted('M-1'));
    store.close();
    store = new JournalStore(file);
    // Of the same start.
    const [copy, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
    store.open(numbered(2), accepted('M-2'));
    writeFileSync(`${file}-wal`, log);
    assert.throws(() => store.open(numbered(3), accepted('M-3')), gone);
    store.close();
    // As after a process that was killed, which writes nothing of its own at its end.
    writeFileSync(file, copy);
    writeFileSync(`${file}-wal`, log);
    store = new JournalStore(file);
    assert.match(store.putBack() ?? '', /older copy/);
    assert.deepEqual(
      [1, 2].map((ordinal) => store.find('POS-1', `M-${ordinal}`)),
      [numbered(1), undefined],
    );
    store.close();
    store = new JournalStore(file);
    assert.equal(store.putBack(), undefined);
    store.close();
  });

  test('what it writes itself, and what it could not write, is no accident', () => {
    const store = new JournalStore(file);
    store.open(numbered(1), accepted('M-1'));
    assert.throws(() => store.append(numbered(99), [{ kind: 'receiptQueued' }]), /FOREIGN KEY/);
    // More than SQLite keeps in its log: it writes to the file itself.
    for (let each = 0; each < 1_500; each++) store.append(numbered(1), [{ kind: 'reversalSent', attempt: each }]);
    store.present();
    store.close();
  });

  test('the daemon is told before anybody wants to pay', async () => {
    const journal = await openJournal(file, { watchMs: 20 });
    rmSync(file);
    assert.ok(gone(await journal.broken));
    await assert.rejects(journal.open(numbered(1), accepted('M-1')), gone);
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
      assert.deepEqual(await once(child, 'message').then(([reported]: unknown[]) => reported), 'open');
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
