import { entriesOf, type JournalEntry } from '../../payment/records/journal-entry.ts';
import { settlementRowsOf } from '../../payment/records/settlement-row.ts';
import { findUnsettable } from '../../config/settable.ts';
import { scrub } from '../../base/domain/masking.ts';
import { ConfigurationTopic } from '../documents/configuration-topic.ts';
import type { ExtractRequest, Recipient } from '../documents/documents.ts';
import { ExtractTopic } from '../documents/extract-topic.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { CloudLink } from '../../payment/contracts/cloud-link.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import { UnsettledSearch } from '../../payment/records/first-unsettled.ts';
import type { Log } from '../../observability/log.ts';
import type { RecentLines } from '../../observability/recent-lines.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import type { KeptAcquirers } from '../../payment/holds/acquirers-in-use.ts';
import type { FleetStart } from './fleet-start.ts';
import type { ProgressWatch } from '../../payment/terminal/exclusive-window.ts';
import { takeConfiguration } from './take-configuration.ts';

/** Maximum number of the newest transactions: a document names a period, which could take hours to read. */
const entriesMost = 10_000;

export interface FleetOptions {
  readonly cloud: { readonly link: CloudLink; readonly terminal: string; readonly root: string };
  readonly journal: Journal;
  readonly terminal: Pick<Terminal, 'running' | 'runLast'>;
  readonly progress: Pick<ProgressWatch, 'onProgress' | 'settlements'>;
  readonly inUse: Pick<KeptAcquirers, 'of'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The fleet's topics: configuration and extracts. */
export function openFleet(start: FleetStart, options: FleetOptions) {
  const { cloud, journal, clock, log } = options;
  const { configuration, store, keys, load, recent } = start;
  const taking = { ...options, search: new UnsettledSearch(journal) };
  const recipient: Recipient = {
    terminal: cloud.terminal,
    group: configuration.fleet?.group,
    publicKeys: keys.inForce,
  };
  const topics = [
    new ConfigurationTopic({
      link: cloud.link,
      recipient,
      store,
      keys,
      clock,
      check: async (settings) => {
        return (
          findUnsettable(settings) ??
          load(settings).then(
            () => undefined,
            (error: Error) => error.message,
          )
        );
      },
      take: async (settings, adopt, signal) => {
        const next = await load(settings);
        return takeConfiguration({ present: configuration, next, adopt, signal }, taking);
      },
      onProgress: (listener) => options.progress.onProgress(listener),
      // An orderly stop, as by systemd: a payment that has begun meanwhile ends first.
      restart: () => void process.kill(process.pid, 'SIGTERM'),
      onReport: (state, version, reason) =>
        log.info('fleet: configuration', { state, reason: `version ${version} ${reason}`.trimEnd() }),
      onFailure: (error) => log.failure('fleet', error),
    }),
    new ExtractTopic({
      link: cloud.link,
      recipient,
      answers: `${cloud.root}/extract/answer`,
      clock,
      lines: (request) => linesOf(request, recent, journal),
      onReport: (state, reason) => log.info('fleet: extract', { state, reason }),
    }),
  ];
  return {
    async close() {
      for (const each of topics) await each.close();
    },
  };
}

function linesOf(request: ExtractRequest, recent: RecentLines, journal: Journal): AsyncIterable<string> {
  switch (request.what) {
    case 'log':
      return logLines(recent, request);
    case 'journal':
      return journalLines(journal, request);
    case 'settlements':
      return settlementLines(journal, request);
    default:
      return request.what satisfies never;
  }
}

async function* logLines(recent: RecentLines, { since }: ExtractRequest): AsyncGenerator<string> {
  const from = since === undefined ? 0 : new Date(since).getTime();
  for (const line of recent.lines) if (timeOf(line) >= from) yield masked(line);
}

/**
 * Log lines are masked already, and masked again because they leave the machine. A time in milliseconds would look like
 * a card number.
 */
function masked(line: string): string {
  return scrub(line.replace(/"time":(\d{13})\b/, (_, ms: string) => `"time":"${new Date(Number(ms)).toISOString()}"`));
}

function timeOf(line: string): number {
  const [, time] = /"time":(\d{1,16})/.exec(line) ?? [];
  return time === undefined ? Number.POSITIVE_INFINITY : Number(time);
}

/** The oldest first. Of a card number only the last four digits are sent. */
async function* journalLines(journal: Journal, { since }: ExtractRequest): AsyncGenerator<string> {
  const query = { order: 'newest', limit: 50, ...(since === undefined ? {} : { since: new Date(since) }) } as const;
  const found: JournalEntry[] = [];
  for await (const entry of entriesOf(journal, query, entriesMost)) found.push(entry);
  for (const entry of found.toReversed()) yield JSON.stringify(entry);
}

/** The oldest first. */
async function* settlementLines(journal: Journal, { since }: ExtractRequest): AsyncGenerator<string> {
  const rows = settlementRowsOf(journal, since === undefined ? {} : { since: new Date(since) });
  for await (const row of rows) yield JSON.stringify(row);
}
