import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../../src/base/domain/currency.ts';
import { Batch } from '../../../src/payment/records/batch.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { made, named, type Shape } from './trees.ts';

function batchOf(...records: readonly TransactionRecord[]): Batch {
  const batch = new Batch();
  for (const record of records) batch.add(record);
  return batch;
}

function about(id: string, type: TransactionKind, original: string, shape: Shape = {}): TransactionRecord {
  return made(id, type, { ...shape, originalId: named(original) });
}

test('an empty batch has no currency and no total', () => {
  assert.deepEqual(batchOf().items, []);
  assert.deepEqual(batchOf().currencies, []);
  assert.deepEqual(batchOf().kindTotals(), []);
  const nothing = { count: 0, minor: 0n };
  assert.deepEqual(batchOf().totals('HKD'), { currency: 'HKD', sales: nothing, refunds: nothing });
});

test('items stand in the order of time, a tip moves none', () => {
  const batch = batchOf(
    made('1', 'SALE', { minor: 100n }),
    made('2', 'REFUND', { minor: 10n }),
    made('3', 'OFFLINE_SALE', { minor: 200n }),
    about('4', 'TIP_ADJUST', '1', { minor: 110n, tipMinor: 10n }),
    made('5', 'AUTH_COMP', { minor: 300n }),
  );
  assert.deepEqual(
    batch.items.map(({ kind, minor }) => [kind, minor]),
    [
      ['SALE', 110n],
      ['REFUND', 10n],
      ['OFFLINE_SALE', 200n],
      ['AUTH_COMP', 300n],
    ],
  );
  assert.deepEqual(batch.totals('HKD'), {
    currency: 'HKD',
    sales: { count: 3, minor: 610n },
    refunds: { count: 1, minor: 10n },
  });
  assert.deepEqual(
    batch.kindTotals().map(({ kind, count, totalMinor }) => [kind, count, totalMinor]),
    [
      ['SALE', 1, '110'],
      ['OFFLINE_SALE', 1, '200'],
      ['AUTH_COMP', 1, '300'],
      ['REFUND', 1, '10'],
    ],
  );
});

test('auths, and what was declined, reversed or not finished, are in no total', () => {
  const ends = (['declined', 'reversed', 'unfinished'] as const).map((end, ordinal) =>
    made(String(ordinal), 'SALE', { end }),
  );
  assert.deepEqual(batchOf(made('9', 'AUTH'), ...ends).items, []);
});

const voids = [
  ['SALE', 'VOID_SALE'],
  ['OFFLINE_SALE', 'VOID_OFFLINE'],
  ['AUTH_COMP', 'VOID_AUTH_COMP'],
  ['REFUND', 'VOID_REFUND'],
] as const;
for (const [kind, voiding] of voids) {
  test(`${voiding} takes its original out, a failed one does not`, () => {
    const [first, second] = [made('1', kind, { minor: 1n }), made('2', kind, { minor: 2n })];
    assert.deepEqual(
      batchOf(first, second, about('3', voiding, '1')).items.map(({ minor }) => minor),
      [2n],
    );
    for (const end of ['declined', 'reversed', 'unfinished'] as const) {
      assert.equal(batchOf(first, second, about('3', voiding, '1', { end })).items.length, 2);
    }
  });
}

test('what refers to another batch adds nothing but a refund', () => {
  const batch = batchOf(about('1', 'VOID_AUTH', '0'), about('2', 'TIP_ADJUST', '0'), about('3', 'REFUND', '0'));
  assert.deepEqual(
    batch.items.map(({ kind }) => kind),
    ['REFUND'],
  );
});

test('a failed tip adjust changes nothing', () => {
  const adjust = about('2', 'TIP_ADJUST', '1', { minor: 9n, tipMinor: 8n, end: 'reversed' });
  assert.equal(batchOf(made('1', 'SALE', { minor: 1n }), adjust).items[0]?.minor, 1n);
});

const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test(`any batch sums up to what the shop's own book says (seed ${seed})`, () => {
  // A multiplicative congruential generator modulo 2^31 - 1 (Park and Miller, 1988).
  let state = (seed % 2_147_483_646) + 1;
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const currencies: readonly CurrencyCode[] = ['HKD', 'JPY', 'KWD'];
  for (let round = 0; round < 50; round++) {
    const batch = new Batch();
    // The book: one line for each thing that stands, in cents of its currency.
    const book = new Map<number, { currency: CurrencyCode; kind: TransactionKind; cents: bigint }>();
    for (let ordinal = 1; ordinal <= 100; ordinal++) {
      const cents = BigInt(1 + below(2_000_000_000)) * 5n;
      const line = [...book][below(Math.max(book.size, 1))];
      const act = below(10);
      const fails = below(5) === 0;
      const shape = fails ? ({ end: 'declined' } as const) : {};
      if (act < 6 || !line) {
        const kind = (['SALE', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND', 'AUTH', 'SALE'] as const)[act % 6] ?? 'SALE';
        const currency = currencies[below(3)] ?? 'HKD';
        batch.add(made(String(ordinal), kind, { minor: cents, currency, ...shape }));
        if (!fails && kind !== 'AUTH') book.set(ordinal, { currency, kind, cents });
        continue;
      }
      const [original, entry] = line;
      if (act === 6 && (entry.kind === 'SALE' || entry.kind === 'OFFLINE_SALE')) {
        const total = entry.cents + 7n;
        batch.add(about(String(ordinal), 'TIP_ADJUST', String(original), { minor: total, ...shape }));
        if (!fails) entry.cents = total;
      } else {
        const voiding = voids.find(([kind]) => kind === entry.kind)?.[1] ?? assert.fail(entry.kind);
        batch.add(about(String(ordinal), voiding, String(original), shape));
        if (!fails) book.delete(original);
      }
    }
    for (const currency of currencies) {
      let [sales, refunds] = [0n, 0n];
      let [saleCount, refundCount] = [0, 0];
      for (const { currency: own, kind, cents } of book.values()) {
        if (own !== currency) continue;
        if (kind === 'REFUND') [refunds, refundCount] = [refunds + cents, refundCount + 1];
        else [sales, saleCount] = [sales + cents, saleCount + 1];
      }
      assert.deepEqual(
        batch.totals(currency),
        { currency, sales: { count: saleCount, minor: sales }, refunds: { count: refundCount, minor: refunds } },
        `seed ${seed}, round ${round}`,
      );
    }
    const shown = batch.kindTotals().reduce((sum, { totalMinor }) => sum + BigInt(totalMinor), 0n);
    assert.equal(
      shown,
      [...book.values()].reduce((sum, { cents }) => sum + cents, 0n),
      `seed ${seed}`,
    );
    assert.deepEqual(batch.currencies, [...new Set([...book.values()].map((each) => each.currency))].toSorted());
  }
});
