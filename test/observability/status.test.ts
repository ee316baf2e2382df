import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { type StatusParts, statusReport } from '../../src/observability/status.ts';

const EDC = acquirerId('EDC');
const QR = acquirerId('QR');
const OCTOPUS = acquirerId('OCTOPUS');
const CASH = acquirerId('CASH');

const waiting = [
  { id: 'T-1', acquirerId: 'QR', message: 'reversal' },
  { id: 'T-2', acquirerId: 'OCTOPUS', message: 'reversal' },
  { id: 'T-3', acquirerId: 'QR', message: 'reversal' },
  { id: 'T-4', acquirerId: 'EDC', message: 'advice' },
];

const at = '2026-11-21T22:00:00.000Z';
const refusedBatch = {
  acquirerId: EDC,
  batch: 7,
  at,
  totals: [],
  currencies: [{ currency: 'HKD', sales: { count: 1, totalMinor: '3000' }, refunds: { count: 0, totalMinor: '0' } }],
  tries: 3,
  refused: true,
  reason: 'the host refused the settlement (code 12)',
};

const parts = {
  terminal: { running: undefined, notReady: undefined },
  reader: { name: 'neo2 at /dev/ttyACM0', state: 'ready' },
  clock: { state: 'ok' },
  acquirers: new Map<string, object>([
    [EDC, { address: { mid: '123456789012345', tid: '12345678', link: 'idle' } }],
    [QR, { address: { mid: 'M-7', tid: 'T0000042', link: 'up' } }],
    [OCTOPUS, {}],
    [CASH, {}],
  ]),
  journal: {
    health: async () => 'ok',
    pending: async () => waiting,
    waitingReceipts: async () => [],
    acquirers: async () => [],
    openBatch: async (id: string) => (id === 'QR' ? 5 : 1),
    rejectedAdvices: async (id: string) => (id === 'EDC' ? ['T-0'] : []),
    setAside: async (id: string) => (id === 'QR' ? ['T-9'] : []),
    deniedBatches: async () => [],
    discrepancies: async () => [],
    latestSettlements: async () => [],
    settlingBatches: async (id: string) => (id === 'EDC' ? [refusedBatch] : []),
  },
  isUnsendable: (id: string) => id === 'T-3' || id === 'T-9',
} as unknown as StatusParts;

const nothing = { rejectedAdvices: [], unsendable: [], setAside: [], waitingBatches: [] };

// It is read as the tests find it: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
function statusWith(more: object = {}): Promise<any> {
  return statusReport({ ...parts, ...more });
}

test('the open batch whose latest settlement has failed is reported until another one succeeds', async () => {
  const at = '2026-08-25T15:30:00.000Z';
  const failed = { acquirerId: QR, result: 'FAILED', reason: 'the host can’t be reached', batch: 4 };
  const balanced = { acquirerId: QR, result: 'BALANCED', batch: 4 };
  const reported = async (...results: readonly object[]) => {
    const latestSettlements = async () => results.map((result) => ({ at, results: [result] }));
    const { acquirers } = await statusWith({ journal: { ...parts.journal, latestSettlements } });
    return acquirers.map(({ settlementFailed }: { settlementFailed?: object }) => settlementFailed);
  };
  const message = 'the host can’t be reached';
  assert.deepEqual(await reported(failed, balanced), [undefined, { batch: 5, at, message }, undefined, undefined]);
  assert.deepEqual(await reported(balanced, failed), [undefined, undefined, undefined, undefined]);
  // EDC has a closed batch that waits: waitingBatches has it.
  assert.deepEqual(await reported({ ...failed, acquirerId: EDC }), [undefined, undefined, undefined, undefined]);
});

test('every acquirer has its batch and what waits for it; a host and a link only where there is one', async () => {
  const { acquirers, pendingReversals, pendingAdvices } = await statusWith();
  assert.deepEqual(acquirers, [
    {
      id: 'EDC',
      mid: '123456789012345',
      tid: '12345678',
      link: 'idle',
      openBatch: 1,
      pendingReversals: 0,
      pendingAdvices: 1,
      rejectedAdvices: ['T-0'],
      unsendable: [],
      setAside: [],
      waitingBatches: [
        { batch: 7, closedAt: at, tries: 3, refused: true, message: 'the host refused the settlement (code 12)' },
      ],
    },
    {
      id: 'QR',
      mid: 'M-7',
      tid: 'T0000042',
      link: 'up',
      openBatch: 5,
      pendingReversals: 2,
      pendingAdvices: 0,
      rejectedAdvices: [],
      unsendable: ['T-3'],
      setAside: ['T-9'],
      waitingBatches: [],
    },
    { id: 'OCTOPUS', openBatch: 1, pendingReversals: 1, pendingAdvices: 0, ...nothing },
    { id: 'CASH', openBatch: 1, pendingReversals: 0, pendingAdvices: 0, ...nothing },
  ]);
  assert.deepEqual([pendingReversals, pendingAdvices], [3, 1]);
});

test('an acquirer that is not configured any more is told while something of it waits', async () => {
  const { journal } = parts;
  const left = { ...journal, acquirers: async () => [EDC, QR, acquirerId('OLD'), acquirerId('DONE')] };
  const rejectedAdvices = async (id: string) => (id === 'OLD' ? ['T-7'] : []);
  const { acquirers } = await statusWith({ journal: { ...left, rejectedAdvices } });
  assert.deepEqual(acquirers.slice(4), [
    {
      id: 'OLD',
      configured: false,
      openBatch: 1,
      pendingReversals: 0,
      pendingAdvices: 0,
      ...nothing,
      rejectedAdvices: ['T-7'],
    },
  ]);
});

test('a device is told where it is there, with its state', async () => {
  assert.deepEqual((await statusWith()).devices, { reader: { name: 'neo2 at /dev/ttyACM0', state: 'ready' } });
  const { devices } = await statusWith({
    scanner: { name: 'scanner at /dev/ttyACM1', state: 'connecting' },
    octopus: { name: 'agent at /run/octopus', state: 'absent' },
    printer: { name: 'escpos', state: 'ready', fault: undefined, status: async () => ({ paperNearEnd: false }) },
  });
  assert.deepEqual(devices, {
    reader: { name: 'neo2 at /dev/ttyACM0', state: 'ready' },
    printer: { name: 'escpos', state: 'ready', fault: 'none' },
    scanner: { name: 'scanner at /dev/ttyACM1', state: 'connecting' },
    octopus: { name: 'agent at /run/octopus', state: 'absent' },
  });
});

test('the printer’s paper is told where it is known, and where it can’t be', async () => {
  for (const paperState of ['ok', 'low', 'out', 'unknown'] as const) {
    const status = async () => ({ paperNearEnd: false });
    const { devices } = await statusWith({
      printer: { name: 'escpos', state: 'ready', fault: undefined, paperState, status },
    });
    assert.deepEqual(devices.printer, { name: 'escpos', state: 'ready', fault: 'none', paper: paperState });
  }
});

test('what runs is told with its step, and who it belongs to, and nothing more', async () => {
  const running = { posId: 'POS-1', messageId: 'M-1', state: 'collecting', step: 'enteringPin' };
  const report = await statusWith({ terminal: { running, notReady: undefined } });
  assert.equal(report.state, 'collecting');
  assert.equal(report.step, 'enteringPin');
  assert.deepEqual(report.running, { posId: 'POS-1', messageId: 'M-1' });
  const idle = await statusWith();
  assert.equal(idle.state, 'idle');
  assert.ok(!('step' in idle) && !('running' in idle) && !('message' in idle));
  const settling = await statusWith({ terminal: { running: { ...running, state: 'settling', step: undefined } } });
  assert.ok(!('step' in settling));
});

test('a terminal that takes no payment says why', async () => {
  const report = await statusWith({
    terminal: {
      running: undefined,
      notReady: { reason: 'cardReaderAbsent', message: 'the card reader is not connected' },
    },
  });
  assert.deepEqual(
    [report.ready, report.reason, report.message],
    [false, 'cardReaderAbsent', 'the card reader is not connected'],
  );
});

test('a printer that does not answer is told by its last word', async () => {
  const printer = { name: 'escpos', state: 'ready', fault: 'paper-out', status: () => new Promise(() => undefined) };
  assert.equal((await statusWith({ printer })).devices.printer?.fault, 'paper-out');
});

test('an archive that takes nothing is told, until it does', async () => {
  const archiveFault = "the archive archive-2026-01.jsonl.gz of the journal can't be written (EROFS)";
  assert.equal((await statusWith({ journal: { ...parts.journal, archiveFault } })).archiveFault, archiveFault);
  assert.ok(!('archiveFault' in (await statusWith())));
});

test('how the journal was found, and that it is not the one that was here', async () => {
  assert.deepEqual((await statusWith()).journalCheck, { state: 'never' });
  const check = { state: 'damaged', at: '2026-01-05T10:00:00.000Z', checked: 5, reason: '1 events can’t be read' };
  const putBack = 'an older copy of the journal was put back';
  const report = await statusWith({ journal: { ...parts.journal, check, putBack } });
  assert.deepEqual([report.journalCheck, report.journalFault], [check, putBack]);
  assert.ok(!('journalFault' in (await statusWith())));
});

test('what is known of the clock, and the time zone of its receipts', async () => {
  assert.deepEqual((await statusWith({ clock: { state: 'beforeBuild' } })).clock, {
    state: 'beforeBuild',
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
});

test('a journal that does not answer: the rest is told within a second, with what is untold', async () => {
  const began = performance.now();
  const journal = { ...parts.journal, pending: () => new Promise(() => undefined) };
  const { ready, message, untold, acquirers, ...rest } = await statusWith({ journal });
  assert.ok(performance.now() - began < 1_000);
  assert.deepEqual([ready, message], [false, 'the disk of the journal does not answer']);
  assert.deepEqual(untold, ['acquirers', 'pendingReversals', 'pendingAdvices', 'waitingReceipts']);
  assert.deepEqual(acquirers[0], { id: 'EDC', mid: '123456789012345', tid: '12345678', link: 'idle' });
  assert.equal(rest['journal'], 'silent');
  for (const name of ['pendingReversals', 'pendingAdvices', 'waitingReceipts']) assert.ok(!(name in rest), name);
});

test('why a device is absent; nothing of one that is there, or whose reason nobody knows', async () => {
  const absences = { of: (kind: string) => ({ reader: 'busy', scanner: 'noPermission' })[kind] };
  const scanner = { name: 'scanner at /dev/ttyS1', state: 'absent' };
  const octopus = { name: 'octopus at /run/octopus', state: 'absent' };
  const { devices } = await statusWith({ absences, scanner, octopus });
  assert.deepEqual(devices, {
    reader: parts.reader,
    scanner: { ...scanner, reason: 'noPermission' },
    octopus,
  });
});

test('the schema of the journal is told, and why its migration waits', async () => {
  const assertSchema = async (schema: object) => {
    const { journalSchema, journalMigration } = await statusWith({ journal: { ...parts.journal, schema } });
    return [journalSchema, journalMigration];
  };
  assert.deepEqual(await assertSchema({ version: 20 }), [20, undefined]);
  assert.deepEqual(await assertSchema({ version: 19, migration: 'onTrial' }), [19, 'onTrial']);
  assert.deepEqual(await assertSchema({ version: 19, migration: 'failed', fault: 'full' }), [19, 'failed']);
});
