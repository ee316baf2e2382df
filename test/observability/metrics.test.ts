import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { AcquirerId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import type { MeasuredCloud } from '../../src/observability/cloud-metrics.ts';
import { Metrics } from '../../src/observability/metrics.ts';
import type { MeasuredStatus } from '../../src/observability/status-metrics.ts';
import { serveScreen } from '../../src/screen/server.ts';
import { accepted, draft, numbered } from '../journal/events.ts';

const idle: MeasuredStatus = {
  ready: true,
  state: 'idle',
  journal: 'ok',
  clock: { state: 'ok' },
  devices: { reader: { state: 'ready' }, printer: { state: 'ready', fault: 'paper-out' } },
  acquirers: [{ id: 'EDC', link: 'idle', pendingReversals: 1, pendingAdvices: 0 }],
  waitingReceipts: 2,
};
const intent = { kind: 'intent', ...draft(), trace: { stan: 7, invoice: 1, batch: 3 } } as JournalEvent;
const approval = { responseCode: '00', approvalCode: '', rrn: '', hostTime: '', hostDate: '' };
const answered: JournalEvent = { kind: 'answered', outcome: { kind: 'approved', ...approval } };
const approved: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };

function opened({ directory = '/nonexistent', turns }: { directory?: string; turns?: number } = {}) {
  const clock = { now: 0, elapsedMs: () => clock.now };
  const machine = { directory, readerTurns: () => turns, lostLines: () => 3, partFailures: () => new Map() };
  const metrics = new Metrics('1.2.3', clock, machine);
  const at = (ms: number, ordinal: number, ...events: JournalEvent[]) => {
    clock.now = ms;
    metrics.wrote(numbered(ordinal), events);
  };
  /** The samples of the terminal's own metrics; of a histogram its sums and counts. */
  const samples = async (status = idle, cloud?: MeasuredCloud) => {
    const { text } = await metrics.text(status, cloud);
    const lines = text.split('\n').filter((line) => line.startsWith('poid_') && !line.includes('_bucket'));
    return Object.fromEntries(
      lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  };
  return { metrics, clock, at, samples };
}

describe('the metrics of transactions', () => {
  test('an approved sale: its outcome, the host’s code, and the time of each phase', async () => {
    const { metrics, clock, at, samples } = opened();
    const id = numbered(1);
    at(0, 1, accepted('M-1'));
    metrics.emit({ state: 'collecting', terminalTransactionId: id });
    clock.now = 2_000;
    metrics.emit({ state: 'authorizing', terminalTransactionId: id });
    at(2_010, 1, intent);
    at(2_310, 1, answered, approved);
    clock.now = 2_312;
    metrics.emit({ state: 'approved', terminalTransactionId: id });
    at(3_310, 1, { kind: 'receiptPrinted' });
    const sampled = await samples();
    assert.equal(sampled['poid_transactions_total{type="SALE",method="VISA",outcome="approved",reason="none"}'], 1);
    assert.equal(sampled['poid_host_answers_total{acquirer="EDC",code="00"}'], 1);
    const times = { customer: 2, intent: 0.01, host: 0.3, answer: 0.002, print: 1 };
    for (const [phase, seconds] of Object.entries(times)) {
      assert.equal(sampled[`poid_phase_seconds_sum{phase="${phase}"}`], seconds, phase);
      assert.equal(sampled[`poid_phase_seconds_count{phase="${phase}"}`], 1, phase);
    }
  });

  test('what another process began is no transaction of this one, nor is an outcome that comes to another', async () => {
    const { at, samples } = opened();
    at(0, 1, answered, approved);
    at(0, 2, accepted('M-2'), { ...approved, outcome: 'error', reason: 'noAnswer' });
    at(9, 2, approved);
    const sampled = await samples();
    assert.equal(sampled['poid_outcomes_later_total{outcome="approved"}'], 2);
    assert.equal(sampled['poid_transactions_total{type="SALE",method="none",outcome="error",reason="noAnswer"}'], 1);
    assert.equal(Object.keys(sampled).filter((name) => name.startsWith('poid_transactions_total')).length, 1);
  });

  test('reversals by why, settled batches by result', async () => {
    const { metrics, at, samples } = opened();
    at(0, 1, { kind: 'reversalQueued', reason: 'no-answer' });
    const batch = { acquirerId: 'EDC' as AcquirerId, mid: '', tid: '', batch: 1, totals: [] };
    metrics.settled(numbered(2), [{ ...batch, result: 'FAILED' }]);
    const sampled = await samples();
    assert.equal(sampled['poid_reversals_total{reason="no-answer"}'], 1);
    assert.equal(sampled['poid_settled_batches_total{acquirer="EDC",result="FAILED"}'], 1);
  });

  test('a thousand receipts that wait for paper are followed, and no more', async () => {
    const { at, samples } = opened();
    for (let each = 1; each <= 1_001; each++) at(0, each, accepted(`M-${each}`), approved);
    at(10, 1, { kind: 'receiptPrinted' });
    at(10, 2, { kind: 'receiptPrinted' });
    assert.equal((await samples())['poid_phase_seconds_count{phase="print"}'], 1);
  });
});

describe('the metrics of the state', () => {
  test('are those of the moment; what is not told is absent', async () => {
    const { samples } = opened();
    assert.partialDeepStrictEqual(await samples(), {
      'poid_build_info{version="1.2.3"}': 1,
      poid_ready: 1,
      poid_busy: 0,
      'poid_device_ready{device="reader"}': 1,
      'poid_device_ready{device="printer"}': 0,
      'poid_host_reachable{acquirer="EDC"}': 1,
      'poid_terminal_unknown{acquirer="EDC"}': 0,
      'poid_pending_reversals{acquirer="EDC"}': 1,
      poid_waiting_receipts: 2,
    });
    const expiry = '2027-01-01T00:00:00.000Z';
    const lines = [
      { id: 'EDC', link: 'up', security: 'tls', certificate: { notAfter: expiry } },
      { id: 'CUP', link: 'down', security: 'tls', lineFault: { reason: 'certificateExpired' } },
      { id: 'EPS', link: 'up', security: 'none' },
    ];
    const ofLines = await samples({ ...idle, acquirers: lines });
    assert.partialDeepStrictEqual(ofLines, {
      'poid_line_protected{acquirer="EDC"}': 1,
      'poid_line_protected{acquirer="EPS"}': 0,
      'poid_line_certificate_expiry_seconds{acquirer="EDC",of="host"}': Date.parse(expiry) / 1_000,
      'poid_line_fault{acquirer="CUP",reason="certificateExpired"}': 1,
    });
    const { waitingReceipts: _untold, ...silent } = idle;
    const hung = {
      ...silent,
      ready: false,
      journal: 'silent',
      acquirers: [{ id: 'EDC', link: 'down', commissioningFault: {} }],
    };
    const sampled = await samples(hung);
    assert.partialDeepStrictEqual(sampled, {
      poid_ready: 0,
      poid_journal_ok: 0,
      'poid_host_reachable{acquirer="EDC"}': 0,
      'poid_terminal_unknown{acquirer="EDC"}': 1,
    });
    assert.equal(Object.keys(sampled).filter((name) => name.startsWith('poid_line_')).length, 0);
    for (const name of ['poid_pending_reversals{acquirer="EDC"}', 'poid_waiting_receipts'])
      assert.equal(sampled[name], undefined, name);
  });

  test('the cloud link, where there is one, and what waits behind it, where that is known', async () => {
    const { samples } = opened();
    const link = async (cloud?: MeasuredCloud) =>
      Object.fromEntries(Object.entries(await samples(idle, cloud)).filter(([name]) => name.startsWith('poid_cloud_')));
    assert.deepEqual(await link(), {});
    assert.deepEqual(await link({ state: 'connected', unacknowledged: { count: 3, ageS: 90.5 } }), {
      poid_cloud_connected: 1,
      poid_cloud_unacknowledged: 3,
      poid_cloud_unacknowledged_age_seconds: 90.5,
    });
    assert.deepEqual(await link({ state: 'disconnected', unacknowledged: undefined }), { poid_cloud_connected: 0 });
  });

  test('the disk of the journal and the reader’s turns', async () => {
    const { samples } = opened({ directory: tmpdir(), turns: 12 });
    const { blocks, bsize } = statfsSync(tmpdir());
    let sampled = await samples();
    // Its disk is asked meanwhile: nobody waits for it.
    while (sampled['poid_disk_size_bytes'] === undefined) {
      await setImmediate();
      sampled = await samples();
    }
    assert.equal(sampled['poid_disk_size_bytes'], blocks * bsize);
    const free = sampled['poid_disk_free_bytes'] ?? Number.NaN;
    assert.ok(free > 0 && free <= blocks * bsize, String(free));
    assert.equal(sampled['poid_reader_turns_total'], 12);
    assert.equal(sampled['poid_log_lines_lost_total'], 3);
    const none = opened();
    await setImmediate();
    const silent = await none.samples();
    assert.equal(silent['poid_disk_free_bytes'], undefined);
    assert.equal(silent['poid_reader_turns_total'], 0);
  });

  test('are served to programs of this machine, once they are configured', async (t) => {
    const screen = await serveScreen(0);
    t.after(() => screen.close());
    const url = `http://127.0.0.1:${screen.port}/metrics`;
    assert.equal((await fetch(url)).status, 404);
    const { metrics } = opened();
    screen.serveMetrics(() => metrics.text(idle));
    const answer = await fetch(url);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await answer.text(), /^poid_ready 1$/m);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
    assert.equal((await fetch(url, { headers: { origin: 'http://evil.example' } })).status, 403);
    screen.serveMetrics(() => Promise.reject(new Error('no status')));
    assert.equal((await fetch(url)).status, 500);
  });
});
