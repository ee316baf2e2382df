import type { Configuration } from '../../config/configuration.ts';
import type { TipTerms } from '../../payment/transaction/tips.ts';
import type { Log } from '../../observability/log.ts';
import type { TerminalParts } from '../../payment/terminal/parts.ts';
import { Terminal } from '../../payment/terminal/terminal.ts';

/** The terminal with its configuration. `parts`: what was opened for it. */
export function makeTerminal(
  { timeouts, rules, tips, screen, receipt, cloud }: Configuration,
  parts: Omit<TerminalParts, 'timeouts' | 'rules' | 'tips' | 'signatureMs' | 'currency' | 'namesTills' | 'onFailure'>,
  log: Log,
): Terminal {
  const { collectMs, tipMs, signatureMs, pinMs, walletMs, reversalWaitMs } = timeouts;
  return new Terminal({
    ...parts,
    rules,
    tips: tipTerms({ tips, rules }),
    signatureMs: receipt.signature === 'screen' ? signatureMs : undefined,
    currency: screen.currency,
    namesTills: cloud !== undefined,
    timeouts: { collectMs, tipMs, pinMs, walletMs, reversalWaitMs, outcomeMs: screen.outcomeMs },
    onFailure: (error) => log.failure('transaction', error),
  });
}

/** What customers are offered when asked for a tip; undefined if this terminal does not ask. */
export function tipTerms({ tips, rules }: Pick<Configuration, 'tips' | 'rules'>): TipTerms | undefined {
  return tips && { ...tips, percentMax: rules.tipPercentMax };
}
