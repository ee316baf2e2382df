import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { acquirerId, type TraceNumbers } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { Random } from '../../src/base/ports/clock.ts';
import { accepted, draft, numbered } from './events.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-numbers-'));
});
after(() => rmSync(dir, { recursive: true }));

let journals = 0;

/** What the first payments of a new journal are given. */
function first(payments: number, random?: Random): TraceNumbers[] {
  const store = new JournalStore(path.join(dir, `${(journals += 1)}.db`), undefined, random);
  const given = Array.from({ length: payments }, (_, ordinal) => {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    return store.intend(numbered(ordinal), draft());
  });
  assert.equal(store.openBatch(acquirerId('EDC')), given[0]?.batch);
  store.close();
  return given;
}

test('a journal that was lost and one that follows it have no number in common', () => {
  const lives = Array.from({ length: 5 }, () => first(20));
  for (const number of ['stan', 'invoice', 'batch'] as const) {
    const given = lives.map((life) => new Set(life.map((each) => each[number])));
    const all = new Set(given.flatMap((life) => [...life]));
    assert.equal(
      all.size,
      given.reduce((sum, { size }) => sum + size, 0),
      number,
    );
    for (const each of all) assert.ok(each >= 1 && each <= 999_999, `${number} ${each}`);
  }
});

/** One life of the journal in `state`: what its payments are given. */
function life(state: string, from: number, payments: number, random?: Random): TraceNumbers[] {
  const store = new JournalStore(path.join(state, 'journal.db'), undefined, random);
  const given = Array.from({ length: payments }, (_, at) => {
    store.open(numbered(from + at), accepted(`M-${from + at}`));
    return store.intend(numbered(from + at), draft());
  });
  assert.deepEqual(store.putBack(), undefined);
  store.close();
  return given;
}

test('a directory that is put back as it was, with all that is in it, has no number in common with what was sold since', () => {
  const [state, image] = [mkdtempSync(path.join(dir, 'state-')), path.join(dir, 'image')];
  const before = life(state, 0, 5);
  cpSync(state, image, { recursive: true });
  const since = [...life(state, 5, 20), ...life(state, 25, 20)];
  rmSync(state, { recursive: true });
  cpSync(image, state, { recursive: true });
  const given = life(state, 45, 40);
  for (const number of ['stan', 'invoice'] as const) {
    const had = new Set([...before, ...since].map((each) => each[number]));
    assert.deepEqual(
      given.filter((each) => had.has(each[number])),
      [],
      number,
    );
  }
  // Nobody can tell, and a batch is not closed at every start.
  assert.deepEqual(new Set(given.map(({ batch }) => batch)), new Set(before.map(({ batch }) => batch)));
});

test('a start goes on where its own journal has given out none of late, and counts on from there', () => {
  const state = mkdtempSync(path.join(dir, 'state-'));
  /** Draws 1, 4,001, 8,001 and so on. */
  let drawn = 0;
  const random: Random = {
    bytes: (length) => {
      const bytes = Buffer.alloc(length);
      bytes.writeUIntBE(4_000 * drawn++, 0, 6);
      return bytes;
    },
  };
  assert.deepEqual(
    life(state, 0, 2, random).map(({ stan }) => stan),
    [1, 2],
  );
  // 4,001 and what follows is free, and 1 is not.
  drawn = 0;
  assert.deepEqual(
    life(state, 2, 2, random).map(({ stan }) => stan),
    [4_001, 4_002],
  );
  // 1 and the 4,999 that follow meet both, 4,001 meets the second.
  drawn = 0;
  assert.deepEqual(
    life(state, 4, 1, random).map(({ stan }) => stan),
    [8_001],
  );
});

test('a number that moves in a commit that fails, moves in the next', () => {
  const state = mkdtempSync(path.join(dir, 'state-'));
  const [first] = life(state, 0, 1);
  const store = new JournalStore(path.join(state, 'journal.db'));
  store.open(numbered(1), accepted('M-1'));
  // An event that can't be written.
  assert.throws(() => store.intend(numbered(1), draft(), [{ kind: 'unheard of', it: 1n } as never]));
  const { stan } = store.intend(numbered(1), draft());
  assert.ok(first);
  assert.notEqual(stan, (first.stan % 999_999) + 1);
  store.close();
});

test('whatever chance says, numbers have six digits and follow each other', () => {
  for (const byte of [0, 0xff]) {
    const [one, two] = first(2, { bytes: (length) => new Uint8Array(length).fill(byte) });
    assert.ok(one && two);
    assert.ok(one.stan >= 1 && one.stan <= 999_999);
    assert.equal(two.stan, (one.stan % 999_999) + 1);
    assert.equal(two.invoice, (one.invoice % 999_999) + 1);
    assert.equal(two.batch, one.batch);
  }
});

const edc = acquirerId('EDC');

test('an acquirer without numbers begins with those of its bank, and counts on from there', () => {
  const state = mkdtempSync(path.join(dir, 'state-'));
  const store = new JournalStore(path.join(state, 'journal.db'));
  assert.equal(store.beginNumbers(edc, { batch: 1, invoice: 7, stan: 999_999 }), true);
  assert.equal(store.openBatch(edc), 1);
  const given = [0, 1].map((ordinal) => {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    return store.intend(numbered(ordinal), draft());
  });
  assert.deepEqual(given, [
    { batch: 1, invoice: 7, stan: 999_999 },
    { batch: 1, invoice: 8, stan: 1 },
  ]);
  store.close();
});

test('those that the bank does not assign are drawn', () => {
  const state = mkdtempSync(path.join(dir, 'state-'));
  const store = new JournalStore(path.join(state, 'journal.db'));
  const drawn = store.openBatch(edc);
  assert.equal(store.beginNumbers(edc, { stan: 5 }), true);
  store.open(numbered(0), accepted('M-0'));
  const { batch, stan } = store.intend(numbered(0), draft());
  assert.deepEqual({ batch, stan }, { batch: drawn, stan: 5 });
  store.close();
});

test('an acquirer that has numbers keeps them, also after a start', () => {
  const state = mkdtempSync(path.join(dir, 'state-'));
  const [{ batch } = { batch: 0 }] = life(state, 0, 1);
  const store = new JournalStore(path.join(state, 'journal.db'));
  assert.equal(store.beginNumbers(edc, { batch: (batch % 999_999) + 1 }), false);
  assert.equal(store.openBatch(edc), batch);
  store.close();
});

test('a copy that was restored takes none, because payments that it lacks may have used them', () => {
  const [state, image] = [mkdtempSync(path.join(dir, 'state-')), path.join(dir, 'older')];
  // The copy has only numbers of another acquirer.
  const file = path.join(state, 'journal.db');
  const payment = (ordinal: number, acquirer: string) => {
    const store = new JournalStore(file);
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), { ...draft(), acquirerId: acquirerId(acquirer) });
    store.close();
  };
  payment(0, 'CUP');
  cpSync(file, image);
  payment(1, 'EDC');
  cpSync(image, file);
  for (const opening of ['first', 'second']) {
    const store = new JournalStore(file);
    assert.equal(store.beginNumbers(edc, { batch: 1 }), false, `${opening} opening`);
    store.close();
  }
});
