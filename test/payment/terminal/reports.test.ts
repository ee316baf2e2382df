import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId, type TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { JournalledTransaction, StoredEvent } from '../../../src/payment/events/event.ts';
import { JournalError } from '../../../src/payment/contracts/journal.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { Reports, type ReportParts } from '../../../src/payment/terminal/reports.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { type ReportedBatch, reportFigures } from '../../../src/payment/records/report-figures.ts';
import { answered, ended, endedApproved, outcomes, reversalQueued, stored } from '../records/records.ts';
import { accepted, cash, eps, intent } from '../../support/events.ts';

const EDC = acquirerId('EDC');

/** Batch 7 is closed and in the archive, batch 8 is open. */
function journalOf(archive: ReadonlyMap<TerminalTransactionId, readonly StoredEvent[]>): ReportParts['journal'] {
  return {
    openBatch: async () => 8,
    pending: async () => [],
    setAside: async () => [],
    unmatched: async () => [],
    matters: async () => [],
    batchPage: async (_id, batch, after) =>
      batch === 7 && after === '' ? [...archive.keys()].map((id): JournalledTransaction => ({ id, events: [] })) : [],
    read: async (id) => {
      const events = archive.get(id);
      if (!events || events.length === 0) throw new JournalError('archive', 'journal-2026-01.db is missing');
      return events;
    },
  };
}

function reports(archive: ReadonlyMap<TerminalTransactionId, readonly StoredEvent[]>): Reports {
  return new Reports({ journal: journalOf(archive), acquirers: new Map([[EDC, {}]]), turns: new ReadingTurns() });
}

const id = (text: string) => text as TerminalTransactionId;

test('a closed batch is read from the archive; what can’t be read there is counted, and in no sum', async () => {
  const sale = stored([accepted, intent, answered(outcomes.approved), endedApproved]);
  const archive = new Map([
    [id('A-1'), sale],
    [id('A-2'), []],
    [id('A-3'), sale],
  ]);
  const read = await reports(archive).read(EDC, 7);
  assert.ok(typeof read !== 'string');
  const [batch] = read;
  assert.deepEqual(
    [batch?.isOpen, batch?.totals, batch?.unreadable],
    [false, [{ kind: 'SALE', currency: 'HKD', count: 2, totalMinor: '6000' }], 1],
  );
});

test('without a number it is the open batch; reports are made one after the other, and too many are refused', async () => {
  const made = reports(new Map());
  const read = await made.read();
  assert.ok(typeof read !== 'string');
  const [open] = read;
  assert.deepEqual([open?.batch, open?.isOpen, open?.totals], [8, true, []]);
  const many = await Promise.all(Array.from({ length: 40 }, () => made.read()));
  assert.ok(many.includes('busy') && many.some((each) => each !== 'busy'));
});

test('a number that no batch has is told as unknown; the open batch may be empty', async () => {
  assert.equal(await reports(new Map()).read(EDC, 9), 'unknown');
  const open = await reports(new Map()).read(EDC, 8);
  assert.ok(typeof open !== 'string');
});

test('what has no known outcome is told with the open batch of its acquirer, and in no sum', async () => {
  const unknown = { ...accepted, amountMinor: '990' };
  const doubtful = stored([
    unknown,
    intent,
    reversalQueued,
    ended(failure('UNKNOWN', 'outcomeUnknown', 'the host does not say')),
  ]);
  const archive = new Map([[id('A-1'), doubtful]]);
  const pending = async () => [
    { id: id('A-1'), acquirerId: EDC, message: 'reversal' as const },
    { id: id('A-2'), acquirerId: acquirerId('CUP'), message: 'reversal' as const },
  ];
  const journal = { ...journalOf(archive), pending };
  const made = new Reports({ journal, acquirers: new Map([[EDC, {}]]), turns: new ReadingTurns() });
  const [open] = (await made.read()) as readonly ReportedBatch[];
  assert.deepEqual(open?.unresolved, [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '990' }]);
  assert.deepEqual(open.totals, []);
  const [closed] = (await made.read(EDC, 7)) as readonly ReportedBatch[];
  assert.deepEqual(closed?.unresolved, []);
});

test('cash back is counted, is out of the drawer, and stays in the sale', async () => {
  const approved = [answered(outcomes.approved), endedApproved];
  const withCash = { ...accepted, amountMinor: '23000', cashbackMinor: '20000' };
  const archive = new Map([
    [id('A-1'), stored([withCash, eps, ...approved])],
    [id('A-3'), stored([{ ...accepted, amountMinor: '10000', cashbackMinor: '5000' }, eps, ...approved])],
    [id('A-2'), stored([{ ...accepted, amountMinor: '5000' }, cash, ...approved])],
  ]);
  const read = (await reports(archive).read(EDC, 7)) as readonly ReportedBatch[];
  const figures = reportFigures(read);
  assert.deepEqual(figures.cashback, [{ currency: 'HKD', count: 2, minor: 25_000n }]);
  // 50.00 came in, 200.00 and 50.00 went out.
  assert.deepEqual(figures.cash, [{ currency: 'HKD', minor: -20_000n }]);
  assert.deepEqual(
    figures.methods.map(({ name, sales }) => [name, sales.count, sales.minor]),
    [
      ['cash', 1, 5_000n],
      ['eps', 2, 33_000n],
    ],
  );
});

test('cash back of what succeeded late was not given, and is not out of the drawer', async () => {
  const withCash = { ...accepted, amountMinor: '23000', cashbackMinor: '20000' };
  const late = [ended(failure('ERROR', 'noAnswer', 'no answer')), answered(outcomes.approved), endedApproved];
  const read = (await reports(new Map([[id('A-1'), stored([withCash, eps, ...late])]])).read(
    EDC,
    7,
  )) as ReportedBatch[];
  const { cash: drawer, cashback } = reportFigures(read);
  assert.deepEqual([drawer, cashback], [[], []]);
});

test('a report of one POS has its own sales, also where others void them, its own unknown outcomes and openings', async () => {
  const of = (posId: string, more: object = {}) => ({ ...accepted, posId, ...more });
  const done = [answered(outcomes.approved), endedApproved];
  const archive = new Map([
    [id('A-1'), stored([of('POS-1'), intent, ...done])],
    [id('A-2'), stored([of('POS-2', { amountMinor: '500' }), intent, ...done])],
    [id('A-3'), stored([of('POS-1', { amountMinor: '700' }), intent, ...done])],
    [
      id('A-4'),
      stored([of('POS-2', { type: 'VOID_SALE', originalId: id('A-3'), amountMinor: '700' }), intent, ...done]),
    ],
    [id('A-5'), stored([of('POS-2', { type: 'AUTH', amountMinor: '900' }), intent, ...done])],
  ]);
  const doubtful = (posId: string) =>
    stored([of(posId), intent, reversalQueued, ended(failure('UNKNOWN', 'outcomeUnknown', 'the host does not say'))]);
  const pending = [doubtful('POS-1'), doubtful('POS-2')];
  const journal: ReportParts['journal'] = {
    ...journalOf(archive),
    openBatch: async () => 7,
    pending: async () => pending.map((_, at) => ({ id: id(`P-${at}`), acquirerId: EDC, message: 'reversal' as const })),
    read: async (each) => (each.startsWith('P') ? pending[Number(each.slice(2))] : archive.get(each)) ?? [],
  };
  const opening = { at: '2026-01-01T00:00:00.000Z', acquirer: EDC, batch: 7 };
  const drawer = {
    openings: async () => [
      { ...opening, posId: 'POS-1' },
      { ...opening, posId: 'POS-2' },
    ],
  };
  const made = new Reports({ journal, acquirers: new Map([[EDC, {}]]), turns: new ReadingTurns(), drawer });
  const reported = async (posId?: string) => {
    const [batch] = (await made.read(EDC, undefined, { posId })) as readonly ReportedBatch[];
    assert.ok(batch);
    const { tills } = reportFigures([batch]);
    const sums = [batch.totals, batch.voids, batch.openAuths, batch.unresolved].map((each) =>
      each.map(({ totalMinor }) => totalMinor),
    );
    return { tills: tills.map(({ name }) => name), sums, opened: batch.drawerOpenings.map((each) => each.posId) };
  };
  assert.deepEqual(await reported('POS-1'), {
    tills: ['POS-1'],
    sums: [['3000'], [], [], ['3000']],
    opened: ['POS-1'],
  });
  assert.deepEqual(await reported('POS-2'), {
    tills: ['POS-2'],
    sums: [['500'], ['700'], ['900'], ['3000']],
    opened: ['POS-2'],
  });
  assert.deepEqual(await reported(), {
    tills: ['POS-1', 'POS-2'],
    sums: [['3500'], ['700'], ['900'], ['6000']],
    opened: ['POS-1', 'POS-2'],
  });
});
