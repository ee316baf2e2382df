import { tmpdir } from 'node:os';
import { Metrics } from '../../src/observability/metrics.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { systemClock } from '../../src/base/ports/clock.ts';
import { TransactionLog } from '../../src/observability/transaction-log.ts';
import { numbered } from '../journal/events.ts';
import * as events from '../support/events.ts';
import { median } from './percentiles.ts';

const rounds = 7;
const sales = 5_000;
const approval = { responseCode: '00', approvalCode: '123456', rrn: '000000000001', hostTime: '', hostDate: '' };
const written: readonly (readonly JournalEvent[])[] = [
  [events.accepted],
  [events.intent],
  [
    { kind: 'answered', outcome: { kind: 'approved', ...approval } },
    { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' },
  ],
  [{ kind: 'receiptPrinted' }],
];

/**
 * Microseconds of the processor that a sale costs those who are told of it: the metrics, and the story of it as far as it
 * is made before a line is written.
 */
export function watchingUs(): Readonly<Record<'metrics' | 'log', number>> {
  const metrics = new Metrics('0', systemClock, {
    directory: tmpdir(),
    readerTurns: () => 0,
    lostLines: () => 0,
    partFailures: () => new Map(),
  });
  const log = new TransactionLog({ info: () => undefined, warn: () => undefined }, systemClock);
  return { metrics: cost(metrics), log: cost(log) };
}

function cost(watcher: Metrics | TransactionLog): number {
  const figures = [];
  for (let round = 0; round <= rounds; round++) {
    const { user: before } = process.cpuUsage();
    for (let each = 0; each < sales; each++) emitSale(watcher, round * sales + each);
    const { user: after } = process.cpuUsage();
    // The first round compiles.
    if (round > 0) figures.push((after - before) / sales);
  }
  return median(figures);
}

function emitSale(watcher: Metrics | TransactionLog, ordinal: number): void {
  const id = numbered(ordinal);
  const [accepted, intent, ended, printed] = written;
  const emit = (state: 'collecting' | 'authorizing' | 'approved') => watcher.emit({ state, terminalTransactionId: id });
  watcher.wrote(id, accepted ?? []);
  emit('collecting');
  emit('authorizing');
  watcher.wrote(id, intent ?? []);
  watcher.wrote(id, ended ?? []);
  emit('approved');
  watcher.wrote(id, printed ?? []);
}
