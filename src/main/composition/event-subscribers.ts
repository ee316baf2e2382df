import type { Configuration } from '../../config/configuration.ts';
import type { MeasuredCloud } from '../../observability/cloud-metrics.ts';
import type { MetricsText } from '../../observability/metrics.ts';
import type { MeasuredStatus } from '../../observability/status-metrics.ts';
import type { CardReader } from '../../base/ports/card-reader.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { JournalWatcher } from '../../payment/contracts/journal.ts';
import type { TerminalEvents } from '../../payment/contracts/terminal-events.ts';
import type { Log } from '../../observability/log.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import { TransactionLog } from '../../observability/transaction-log.ts';
import { bindSubscriber } from './parts-boundary.ts';
import { ProgressWatch } from '../../payment/terminal/exclusive-window.ts';
import { currentVersion } from '../../observability/version.ts';

interface EventSubscribers {
  /** They receive each event of the journal and of the terminal's progress. */
  readonly subscribers: readonly (JournalWatcher & TerminalEvents)[];
  /** One of them: reports when unsettled work may have ended. */
  readonly progress: ProgressWatch;
  /** Has the metrics served, where they are configured. */
  readonly serveMetrics: (
    server: MetricsServer,
    reader: CardReader,
    status: () => Promise<MeasuredStatus>,
    cloud: { readonly measured: MeasuredCloud } | undefined,
  ) => void;
}

interface MetricsServer {
  serveMetrics(report: () => Promise<MetricsText>): void;
}

/** The log of transactions and, where they are configured, the metrics: their library is loaded only then. */
export async function openEventSubscribers(
  configuration: Configuration,
  clock: MonotonicClock,
  log: Log,
  boundary: PartBoundary,
): Promise<EventSubscribers> {
  const transactionLog = bindSubscriber('events', new TransactionLog(log, clock), boundary);
  const progress = new ProgressWatch();
  const usual = [transactionLog, progress];
  if (!configuration.metrics.enabled) return { subscribers: usual, progress, serveMetrics: () => undefined };
  const { Metrics } = await import('../../observability/metrics.ts');
  let reader: CardReader | undefined;
  const machine = {
    directory: configuration.stateDir,
    readerTurns: () => reader?.turns,
    lostLines: () => log.lostLines ?? 0,
    partFailures: () => boundary.failures,
  };
  const metrics = boundary.within('metrics', () => new Metrics(currentVersion(), clock, machine));
  return {
    subscribers: [bindSubscriber('metrics', metrics, boundary), ...usual],
    progress,
    serveMetrics: (server, opened, status, cloud) => {
      reader = opened;
      server.serveMetrics(async () => {
        const present = await boundary.outside(status);
        return boundary.within('metrics', () => metrics.text(present, cloud?.measured));
      });
    },
  };
}
