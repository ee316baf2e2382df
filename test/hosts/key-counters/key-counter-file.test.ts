import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { counterAfter, withCounter } from '../../../src/base/domain/dukpt-counter.ts';
import { KeyCounterFile } from '../../../src/hosts/key-counters/key-counter-file.ts';
import { blockKeys } from '../../../src/hosts/key-counters/reserved-counter.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import type { KeyCounter } from '../../../src/payment/contracts/key-counter.ts';

const ksn = 'FFFF9876543211000000';
const otherKsn = 'FFFF9876543211200000';

let dir: string;
let store: JournalStore;
let restoredAt: string | undefined;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-key-counters-'));
  store = new JournalStore(path.join(dir, 'journal.db'));
  restoredAt = undefined;
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

const file = () => path.join(dir, 'key-counters.json');
const journal = {
  keyCounter: async (name: string) => store.keyCounter(name),
  noteKeyCounter: async (name: string, reserved: number) => store.noteKeyCounter(name, reserved),
  get restored() {
    return restoredAt === undefined
      ? undefined
      : ({ kind: 'journalRestored', lastEvent: 1, number: 1, at: restoredAt } as const);
  },
};

/** A start of the terminal. */
const start = () => new KeyCounterFile(dir, journal);
const opened = (name = ksn) => start().open(name);

async function taken(counter: KeyCounter, count: number): Promise<(number | undefined)[]> {
  const all: (number | undefined)[] = [];
  for (let at = 0; at < count; at++) all.push(await counter.take());
  return all;
}

describe('counters on stable storage', () => {
  test('begin after the configured one, and rise', async () => {
    assert.deepEqual(await taken(await opened(), 3), [1, 2, 3]);
    assert.deepEqual(await taken(await opened(withCounter(otherKsn, 7)), 3), [8, 9, 10]);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
  });

  test('a counter is reserved in file and journal before it is taken, and never falls', async () => {
    const counter = await opened();
    for (let at = 0; at < 200; at++) {
      const next = (await counter.take()) ?? assert.fail('a counter');
      const reserved = JSON.parse(readFileSync(file(), 'utf8')).counters[ksn].reserved as number;
      assert.ok(next <= reserved, `${next} of ${reserved}`);
      assert.ok(next <= (store.keyCounter(ksn) ?? 0));
    }
  });

  test('blocks keep most counters from the disk', async () => {
    let writes = 0;
    const counting = {
      ...journal,
      restored: undefined,
      noteKeyCounter: async (name: string, reserved: number) => {
        writes += 1;
        store.noteKeyCounter(name, reserved);
      },
    };
    const counter = await new KeyCounterFile(dir, counting).open(ksn);
    await taken(counter, 640);
    assert.ok(writes >= 10 && writes <= 640 / (blockKeys - 16) + 1, `${writes} writes`);
  });

  test('a start skips what was reserved, and takes nothing again', async () => {
    const before = await taken(await opened(), 5);
    const after = await taken(await opened(), 70);
    const most = counterAfter(0, blockKeys) ?? 0;
    assert.equal(after[0], counterAfter(most));
    assert.equal(new Set([...before, ...after]).size, 75);
  });

  test('who asks at a time gets different ones, in the order of asking', async () => {
    const counters = start();
    const [one, other] = await Promise.all([counters.open(ksn), counters.open(withCounter(ksn, 9))]);
    assert.equal(one, other);
    const all = await Promise.all(Array.from({ length: 150 }, async (_, at) => (at % 2 === 0 ? one : other).take()));
    assert.deepEqual(
      all,
      all.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    );
    assert.equal(new Set(all).size, 150);
  });

  test('two keys have a counter each', async () => {
    const counters = start();
    assert.equal(await (await counters.open(ksn)).take(), 1);
    assert.equal(await (await counters.open(otherKsn)).take(), 1);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(file(), 'utf8')).counters), [ksn, otherKsn]);
  });

  test('the last counters, and no more', async () => {
    const counter = await opened(withCounter(ksn, 0x1f_f4_00));
    assert.deepEqual(await taken(counter, 2), [0x1f_f8_00, undefined]);
    assert.equal(counter.fault, 'keysExhausted');
    assert.equal(await counter.prepare(), 'keysExhausted');
  });

  test('an unwritable disk: no counter, until it can be written again', async () => {
    let isBroken = false;
    const failing = {
      ...journal,
      restored: undefined,
      noteKeyCounter: async (name: string, reserved: number) => {
        if (isBroken) throw new Error('disk');
        store.noteKeyCounter(name, reserved);
      },
    };
    const counter = await new KeyCounterFile(dir, failing).open(ksn);
    assert.equal(await counter.take(), 1);
    isBroken = true;
    const all = await taken(counter, blockKeys);
    // Reserved counters still count as used.
    assert.deepEqual([all.at(-2), all.at(-1)], [blockKeys, undefined]);
    assert.equal(counter.fault, 'keyCounterNotWritten');
    assert.equal(await counter.prepare(), 'keyCounterNotWritten');
    isBroken = false;
    assert.equal(await counter.prepare(), undefined);
    assert.equal(await counter.take(), counterAfter(blockKeys));
    assert.equal(counter.fault, undefined);
  });
});

describe('a counter in doubt', () => {
  /** Uses a block of keys and the beginning of the next, so that no write is pending afterwards. */
  async function used(): Promise<void> {
    await taken(await opened(), blockKeys + 6);
  }
  const reserved = () => store.keyCounter(ksn) ?? 0;

  async function refuses(fault: string): Promise<void> {
    // Neither this start nor the next uses a key.
    for (const _ of [1, 2]) {
      const counter = await opened();
      assert.deepEqual([await counter.prepare(), await counter.take(), counter.fault], [fault, undefined, fault]);
    }
    // A serial number below the known counter does not end the fault.
    assert.equal(await (await opened(withCounter(ksn, 1))).take(), undefined);
  }

  async function settles(): Promise<void> {
    const last = Math.max(reserved(), 400);
    assert.equal(await (await opened(withCounter(ksn, last))).take(), counterAfter(last));
    // The configuration may keep it, or return to the first one.
    assert.ok(((await (await opened(withCounter(ksn, last))).take()) ?? 0) > last);
    assert.ok(((await (await opened()).take()) ?? 0) > last);
  }

  test('lost: the journal knows that there was one', async () => {
    await used();
    rmSync(file());
    await refuses('keyCounterLost');
    // Another initial key is new.
    assert.equal(await (await opened(otherKsn)).take(), 1);
    await refuses('keyCounterLost');
    await settles();
  });

  for (const content of ['', '{', '{"counters":{"FFFF9876543211000000":{"reserved":-1}}}', '{"counters":[]}']) {
    test(`damaged: ${content}`, async () => {
      await used();
      writeFileSync(file(), content);
      await refuses('keyCounterDamaged');
      assert.equal(readFileSync(file(), 'utf8'), content, 'the file stays for whoever examines it');
      await settles();
      // The file is new, but other counters may have been in the damaged one.
      assert.equal((await opened(otherKsn)).fault, 'keyCounterDamaged');
      assert.equal(await (await opened(withCounter(otherKsn, 1))).take(), 2);
    });
  }

  test('behind: an older copy of the file', async () => {
    await taken(await opened(), 1);
    const older = readFileSync(file(), 'utf8');
    await used();
    writeFileSync(file(), older);
    await refuses('keyCounterBehind');
    await settles();
  });

  test('restored: the journal is an older copy, and the file may be as old', async () => {
    await used();
    restoredAt = '2026-11-29T10:00:00.000Z';
    assert.equal(await (await opened()).prepare(), 'keyCounterRestored');
    // The operator has compared the books, which does not verify the keys.
    restoredAt = undefined;
    await refuses('keyCounterRestored');
    await settles();
  });

  test('restored: a copy from before the first key', async () => {
    restoredAt = '2026-11-29T10:00:00.000Z';
    assert.equal(await (await opened()).prepare(), 'keyCounterRestored');
    restoredAt = undefined;
    assert.equal(await (await opened()).prepare(), 'keyCounterRestored');
    // An initial key that is configured after the restoration is new.
    assert.equal(await (await opened(otherKsn)).take(), 1);
    await settles();
  });

  test('restored twice: what was settled after the first is in doubt again', async () => {
    await used();
    restoredAt = '2026-11-29T10:00:00.000Z';
    await settles();
    restoredAt = '2026-11-29T11:00:00.000Z';
    assert.equal(await (await opened()).prepare(), 'keyCounterRestored');
  });

  test('a file without a journal that knows it is used: a terminal after a factory reset, or a version on trial', async () => {
    await used();
    store.close();
    for (const name of ['journal.db', 'journal.state']) rmSync(path.join(dir, name));
    store = new JournalStore(path.join(dir, 'journal.db'));
    assert.ok(((await (await opened()).take()) ?? 0) > blockKeys);
  });
});
