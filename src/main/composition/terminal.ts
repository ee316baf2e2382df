import type { Configuration } from '../../config/configuration.ts';
import type { Log } from '../../observability/log.ts';
import type { TerminalParts } from '../../payment/terminal/parts.ts';
import { merchantsOf } from './merchants.ts';
import { Terminal } from '../../payment/terminal/terminal.ts';

/** The terminal with its configuration. `parts`: the parts opened for it. */
export function makeTerminal(
  configuration: Configuration,
  parts: Omit<TerminalParts, 'timeouts' | 'rules' | 'merchants' | 'currency' | 'namesTills' | 'onFailure'>,
  log: Log,
): Terminal {
  const { timeouts, rules, screen, cloud } = configuration;
  const { collectMs, pinMs, walletMs, reversalWaitMs } = timeouts;
  return new Terminal({
    ...parts,
    rules,
    merchants: merchantsOf(configuration),
    currency: screen.currency,
    namesTills: cloud !== undefined,
    timeouts: { collectMs, pinMs, walletMs, reversalWaitMs, outcomeMs: screen.outcomeMs },
    onFailure: (error) => log.failure('transaction', error),
  });
}
