import type { Configuration } from './configuration.ts';

/** What a chip card's reader takes for its part of the end (drivers/card-reader), and an Octopus library for one answer. */
const deviceMs = 10_000;

/**
 * The longest that a payment may still take once the terminal is told to stop, milliseconds. Collecting ends at once; what was sent
 * goes on: earlier reversals of its acquirer first, the request, its card, and the reversal where the outcome is unknown.
 */
export function longestPaymentMs({ acquirers, octopus, timeouts }: Configuration): number {
  const { pendingMs, reversalWaitMs, walletResolveMs, octopusIncompleteMs } = timeouts;
  const atHosts = acquirers.map((each) => {
    const requestMs = each.connectTimeoutMs + each.replyTimeoutMs;
    return pendingMs + requestMs + reversalWaitMs + (each.protocol === 'qfpay' ? walletResolveMs : deviceMs);
  });
  return Math.max(...atHosts, octopus ? octopusIncompleteMs + deviceMs + reversalWaitMs : 0);
}
