import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalEvent } from '../payment/events/event.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import type { MonotonicClock } from '../base/ports/clock.ts';
import type { JournalWatcher } from '../payment/contracts/journal.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import { CloudMetrics, type MeasuredCloud } from './cloud-metrics.ts';
import { MachineMetrics, type MeasuredMachine } from './machine-metrics.ts';
import { type MeasuredStatus, StatusMetrics } from './status-metrics.ts';
import { TransactionMetrics } from './transaction-metrics.ts';

/** The text for Prometheus (prometheus.io, exposition formats). */
export interface MetricsText {
  readonly type: string;
  readonly text: string;
}

/** The metrics of one terminal. */
export class Metrics implements JournalWatcher, TerminalEvents {
  readonly #registry = new Registry();
  readonly #transactions: TransactionMetrics;
  readonly #status: StatusMetrics;
  readonly #machine: MachineMetrics;
  readonly #cloud: CloudMetrics;

  constructor(version: string, clock: Pick<MonotonicClock, 'elapsedMs'>, machine: MeasuredMachine) {
    const registers = [this.#registry];
    const help = 'The version that runs; 1';
    new Gauge({ name: 'poid_build_info', help, labelNames: ['version'], registers }).set({ version }, 1);
    this.#transactions = new TransactionMetrics(this.#registry, clock);
    this.#status = new StatusMetrics(this.#registry);
    this.#cloud = new CloudMetrics(this.#registry);
    this.#machine = new MachineMetrics(this.#registry, machine);
    this.#machine.measure();
    // The process: its start, which shows restarts, its memory, and the delay of its event loop.
    collectDefaultMetrics({ register: this.#registry });
  }

  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    this.#transactions.wrote(id, events);
  }

  settled(id: TerminalTransactionId, results: readonly SettledBatch[]): void {
    this.#transactions.settled(id, results);
  }

  emit(event: Omit<TerminalEvent, 'at'>): void {
    this.#transactions.emit(event);
  }

  async text(status: MeasuredStatus, cloud?: MeasuredCloud): Promise<MetricsText> {
    this.#status.measure(status);
    this.#cloud.measure(cloud);
    this.#machine.measure();
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}
