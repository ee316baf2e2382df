import assert from 'node:assert/strict';
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test, type TestContext } from 'node:test';
import { journalError } from '../../src/journal/failure.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { Clock } from '../../src/base/ports/clock.ts';
import { JournalError, type JournalErrorCode } from '../../src/payment/contracts/journal.ts';
import { accepted, draft, numbered } from './events.ts';
import { makeOlder, unlinked } from './older-journal.ts';
import { SmallDisk } from './small-disk.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-disk-'));
});
after(() => rmSync(dir, { recursive: true }));

function disk(t: TestContext, kibibytes: number): { readonly disk: SmallDisk; readonly file: string } {
  const made = new SmallDisk(path.join(dir, t.name.replace(/\W+/g, '-')), kibibytes);
  t.after(() => made.unmount());
  return { disk: made, file: path.join(made.dir, 'journal.db') };
}

const throwsWith = (code: JournalErrorCode) => (error: unknown) => error instanceof JournalError && error.code === code;

/** Enough transactions for many pages. */
function filled(store: JournalStore, count: number): void {
  for (let ordinal = 1; ordinal <= count; ordinal++) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft());
  }
}

describe('little room', () => {
  test('no transaction begins; what began is brought to its end, what was is found', (t) => {
    const { disk: small, file } = disk(t, 20 * 1024);
    const store = new JournalStore(file);
    t.after(() => store.close());
    store.open(numbered(1), accepted('M-1'));
    assert.equal(store.health(), 'ok');
    // Of 20 MiB: less is left than what is reserved, and more than what the transaction still needs.
    writeFileSync(path.join(small.dir, 'filler'), Buffer.alloc(8 * 1024 * 1024));
    assert.equal(store.health(), 'full');
    assert.throws(() => store.open(numbered(2), accepted('M-2')), throwsWith('full'));
    assert.deepEqual(store.open(numbered(2), accepted('M-1')), { existing: numbered(1) });
    store.intend(numbered(1), draft());
    store.append(numbered(1), [{ kind: 'reversalQueued', reason: 'no-answer' }]);
    assert.equal(store.read(numbered(1)).length, 3);
    assert.equal(store.find('POS-1', 'M-2'), undefined);
  });

  test('none at all: each commit is refused whole, and goes through when there is room', (t) => {
    const { disk: small, file } = disk(t, 20 * 1024);
    const store = new JournalStore(file);
    t.after(() => store.close());
    store.open(numbered(1), accepted('M-1'));
    small.fill();
    let written = 1;
    let refused: unknown;
    // SQLite's log may have a page left.
    while (!refused && written < 1000) {
      try {
        store.append(numbered(1), [{ kind: 'receiptQueued' }]);
        written += 1;
      } catch (error) {
        refused = journalError(error);
      }
    }
    assert.ok(throwsWith('full')(refused), String(refused));
    assert.equal(store.read(numbered(1)).length, written);
    small.free();
    store.append(numbered(1), [{ kind: 'receiptPrinted' }]);
    assert.equal(store.read(numbered(1)).at(-1)?.event.kind, 'receiptPrinted');
  });
});

describe('a journal that can’t be used is named', () => {
  test('read-only disk', (t) => {
    const { disk: small, file } = disk(t, 20 * 1024);
    const store = new JournalStore(file);
    filled(store, 3);
    store.close();
    small.makeReadOnly();
    assert.throws(() => new JournalStore(file), throwsWith('read-only'));
    assert.throws(() => new JournalStore(path.join(small.dir, 'new.db')), throwsWith('read-only'));
  });

  test('every page of it damaged, one after the other: refused, or nothing is lost', (t) => {
    const file = path.join(dir, 'damaged.db');
    const store = new JournalStore(file);
    filled(store, 200);
    store.close();
    const pageBytes = 4096;
    const pages = statSync(file).size / pageBytes;
    assert.ok(pages > 20);
    let refused = 0;
    for (let page = 0; page < pages; page++) {
      const spoilt = copyOf(file, page, pageBytes);
      try {
        const opened = new JournalStore(spoilt);
        const found = opened.unfinished();
        opened.close();
        assert.equal(found.length, 200, `page ${page} of ${pages} is damaged, and nobody noticed`);
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        assert.equal(error.code, 'corrupt', `page ${page}: ${error.message}`);
        refused += 1;
      }
    }
    t.diagnostic(`${refused} of ${pages} damaged pages were refused`);
    assert.ok(refused > pages * 0.9);
  });
});

describe('a journal that breaks', () => {
  /** Time stands still until the test lets one deadline run out. */
  class OneDeadline implements Clock {
    readonly #armed = new Map<number, () => void>();
    #handles = 0;
    now = () => new Date(0);

    setTimeout(run: () => void): number {
      this.#armed.set(++this.#handles, run);
      return this.#handles;
    }

    clearTimeout(handle: unknown): void {
      this.#armed.delete(Number(handle));
    }

    get waiting(): number {
      return this.#armed.size;
    }

    runOut(): void {
      const [run] = this.#armed.values();
      run?.();
    }
  }

  test('a disk that does not answer: every call rejects from then on, and the daemon is told', async () => {
    const clock = new OneDeadline();
    const journal = await openJournal(path.join(dir, 'hangs.db'), { clock });
    await journal.open(numbered(1), accepted('M-1'));
    assert.equal(clock.waiting, 0, 'what was answered has no deadline left');
    const asked = [journal.read(numbered(1)), journal.append(numbered(1), [{ kind: 'receiptQueued' }])];
    clock.runOut();
    for (const each of asked) await assert.rejects(each, throwsWith('broken'));
    assert.equal((await journal.broken).code, 'broken');
    assert.equal(clock.waiting, 0);
    await assert.rejects(journal.findIdentity('POS-1', 'M-1'), throwsWith('broken'));
    await journal.close();
  });

  test('a start that brings a large journal up to date has no deadline', async () => {
    const file = path.join(dir, 'old.db');
    new JournalStore(file).close();
    const cleared = async () => {
      const clock = new OneDeadline();
      let count = 0;
      const counting: Clock = {
        now: clock.now,
        setTimeout: (run) => clock.setTimeout(run),
        clearTimeout: (handle) => ((count += 1), clock.clearTimeout(handle)),
      };
      await (await openJournal(file, { clock: counting })).close();
      return count;
    };
    const usual = await cleared();
    const old = new DatabaseSync(file);
    makeOlder(old, unlinked);
    old.close();
    // Once more than by its answer: it was told to wait.
    assert.equal(await cleared(), usual + 1);
  });

  test('a failed fsync is never tried again', () => {
    assert.equal(journalError({ errcode: 1034 }).code, 'broken');
    assert.equal(journalError({ errcode: 1290 }).code, 'broken');
    // SQLITE_IOERR_WRITE: nothing was acknowledged, the commit was taken back.
    assert.equal(journalError({ errcode: 778 }).code, 'storage');
  });
});

/** A copy in which one page is noise. */
function copyOf(file: string, page: number, pageBytes: number): string {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const handle = openSync(copy, 'r+');
  writeSync(handle, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, page * pageBytes);
  closeSync(handle);
  return copy;
}
