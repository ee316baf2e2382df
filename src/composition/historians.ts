import type { Configuration } from '../config/configuration.ts';
import type { MeasuredCloud } from '../metrics/cloud-metrics.ts';
import type { MetricsText } from '../metrics/metrics.ts';
import type { MeasuredStatus } from '../metrics/status-metrics.ts';
import type { CardReader } from '../ports/card-reader.ts';
import type { SteadyClock } from '../ports/clock.ts';
import type { JournalWatcher } from '../ports/journal.ts';
import type { TerminalEvents } from '../ports/terminal-events.ts';
import type { Log } from '../supervision/log.ts';
import { TransactionLog } from '../supervision/transaction-log.ts';
import { version } from '../supervision/version.ts';

interface Historians {
  /** Those who are told of each event, in the journal and in the terminal's progress. */
  readonly historians: readonly (JournalWatcher & TerminalEvents)[];
  /** Has the metrics served, where they are configured. */
  readonly serveMetrics: (
    server: MetricsServer,
    reader: CardReader,
    status: () => Promise<MeasuredStatus>,
    cloud: { readonly measured: MeasuredCloud } | undefined,
  ) => void;
}

interface MetricsServer {
  tellMetrics(report: () => Promise<MetricsText>): void;
}

/** The log of transactions and, where they are configured, the metrics: their library is loaded for nobody else. */
export async function openHistorians(configuration: Configuration, clock: SteadyClock, log: Log): Promise<Historians> {
  const transactionLog = new TransactionLog(log, clock);
  if (!configuration.metrics.enabled) return { historians: [transactionLog], serveMetrics: () => undefined };
  const { Metrics } = await import('../metrics/metrics.ts');
  let reader: CardReader | undefined;
  const machine = { directory: configuration.stateDir, readerTurns: () => reader?.turns };
  const metrics = new Metrics(version, clock, machine);
  return {
    historians: [metrics, transactionLog],
    serveMetrics: (server, opened, status, cloud) => {
      reader = opened;
      server.tellMetrics(async () => metrics.text(await status(), cloud?.measured));
    },
  };
}
