import type { Configuration } from '../../config/configuration.ts';
import type { Log } from '../../observability/log.ts';
import type { TerminalParts } from '../../payment/terminal/parts.ts';
import { Terminal } from '../../payment/terminal/terminal.ts';

/** The terminal with its configuration. `parts`: the parts opened for it. */
export function makeTerminal(
  { timeouts, rules, screen, cloud }: Configuration,
  parts: Omit<TerminalParts, 'timeouts' | 'rules' | 'currency' | 'namesTills' | 'onFailure'>,
  log: Log,
): Terminal {
  const { collectMs, pinMs, walletMs, reversalWaitMs } = timeouts;
  return new Terminal({
    ...parts,
    rules,
    currency: screen.currency,
    namesTills: cloud !== undefined,
    timeouts: { collectMs, pinMs, walletMs, reversalWaitMs, outcomeMs: screen.outcomeMs },
    onFailure: (error) => log.failure('transaction', error),
  });
}
