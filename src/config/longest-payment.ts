import type { Configuration } from './configuration.ts';
import { methodSettings } from './methods.ts';

/**
 * The longest time that a payment may still take after the terminal was told to stop, in milliseconds. Collecting ends
 * at once. A payment that was sent goes on: earlier reversals of its acquirer first, then the request, its card, and
 * the reversal if the outcome is unknown.
 */
export function longestPaymentMs(configuration: Configuration): number {
  const all = methodSettings.map((method) =>
    'longestPaymentMs' in method ? method.longestPaymentMs(configuration) : 0,
  );
  return Math.max(...all) + configuration.timeouts.reversalWaitMs;
}
