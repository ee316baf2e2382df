import { type DailySettlementOptions, settleDaily } from '../terminal/daily-settlement.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface DailyParts extends Omit<DailySettlementOptions, 'at' | 'acquirers' | 'settle'> {
  /** 'hh:mm'; absent if there is no daily settlement. */
  readonly dailyAt?: string | undefined;
  readonly acquirers: ReadonlyMap<DailySettlementOptions['acquirers'][number], unknown>;
  readonly terminal: Pick<Terminal, 'settle'>;
}

/** Settles the batches of all acquirers every day, until it is closed. */
export function openDailySettlement({ dailyAt: at, acquirers, terminal, ...parts }: DailyParts) {
  const stop = settleDaily({
    ...parts,
    ...(at === undefined ? {} : { at }),
    acquirers: [...acquirers.keys()],
    settle: (request) => terminal.settle(request),
  });
  return { close: async () => stop() };
}
