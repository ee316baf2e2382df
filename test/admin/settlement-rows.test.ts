import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeRange } from '../../src/base/domain/time-range.ts';
import { type SettlementRow, settlementRowsOf } from '../../src/payment/records/settlement-row.ts';

import type { JournalledSettlement, SettledBatch } from '../../src/payment/events/settlement.ts';
import { numbered } from '../journal/events.ts';
import { EDC } from './shop-journal.ts';

const batch: SettledBatch = { acquirerId: EDC, mid: 'M', tid: 'T', batch: 7, result: 'BALANCED', totals: [] };

/** A settlement each minute; a journal tells three at a time. */
async function rowsOf(all: readonly JournalledSettlement[], query: TimeRange = {}) {
  const reading = {
    settlementsAfter: async (id: string) => all.filter((each) => each.id > id).slice(0, 3),
  };
  const rows: SettlementRow[] = [];
  for await (const row of settlementRowsOf(reading, query)) rows.push(row);
  return rows;
}

function settlement(minute: number, results?: readonly SettledBatch[]): JournalledSettlement {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const common = { id: numbered(minute + 1), posId: 'POS-1', messageId: `S-${minute}`, digest: 'd', at };
  return results === undefined ? common : { ...common, results };
}

test('every settlement is told, however many there are, and each total of it', async () => {
  const all = Array.from({ length: 10 }, (_, minute) => settlement(minute, [batch]));
  assert.deepEqual(
    (await rowsOf(all)).map(({ messageId }) => messageId),
    all.map(({ messageId }) => messageId),
  );
  const totals = [
    { kind: 'SALE', currency: 'HKD', count: 3, totalMinor: '123456789012345' },
    { kind: 'REFUND', currency: 'JPY', count: 1, totalMinor: '500' },
  ] as const;
  const rows = await rowsOf([
    settlement(0, [
      { ...batch, totals },
      { ...batch, batch: 8, reason: 'no answer' },
    ]),
  ]);
  assert.deepEqual(
    rows.map((row) => [row.batch, row.type, row.currency, row.count, row.amount, row.message]),
    [
      [7, 'SALE', 'HKD', 3, '1234567890123.45', ''],
      [7, 'REFUND', 'JPY', 1, '500', ''],
      [8, '', '', 0, '', 'no answer'],
    ],
  );
});

test('what still runs is left out, and what was asked for at another time', async () => {
  const all = [settlement(0, [batch]), settlement(1), settlement(2, [batch]), settlement(3, [batch])];
  const named = async (query: TimeRange) => (await rowsOf(all, query)).map(({ messageId }) => messageId);
  assert.deepEqual(await named({}), ['S-0', 'S-2', 'S-3']);
  assert.deepEqual(await named({ since: new Date('2026-01-01T00:02:00Z') }), ['S-2', 'S-3']);
  assert.deepEqual(await named({ until: new Date('2026-01-01T00:02:00Z') }), ['S-0']);
});
