import type { Configuration } from '../../config/configuration.ts';
import type { Log } from '../../observability/log.ts';
import { type DailySettlementOptions, settleDaily } from '../../payment/terminal/daily-settlement.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';

interface DailyParts extends Omit<DailySettlementOptions, 'at' | 'acquirers' | 'settle' | 'onFailure'> {
  readonly acquirers: ReadonlyMap<DailySettlementOptions['acquirers'][number], unknown>;
  readonly terminal: Pick<Terminal, 'settle'>;
  readonly log: Pick<Log, 'failure'>;
}

/** Settles the batches of all acquirers every day, if it is configured, until it is closed. */
export function openDailySettlement(
  { settlement: { dailyAt: at } }: { readonly settlement: Pick<Configuration['settlement'], 'dailyAt'> },
  { acquirers, terminal, log, ...parts }: DailyParts,
) {
  const stop = settleDaily({
    ...parts,
    ...(at === undefined ? {} : { at }),
    acquirers: [...acquirers.keys()],
    settle: (request) => terminal.settle(request),
    onFailure: (error) => log.failure('settlement', error),
  });
  return { close: async () => stop() };
}
