import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { acquirerId } from '../../src/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { TraceNumbers } from '../../src/ports/acquirer-host.ts';
import type { Random } from '../../src/ports/clock.ts';
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
