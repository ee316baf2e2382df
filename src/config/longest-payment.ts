import type { Configuration } from './configuration.ts';

/** The time limit of a chip card's completion (drivers/card-reader), and of one answer of an Octopus agent. */
const deviceMs = 10_000;

/**
 * The longest time that a payment may still take after the terminal was told to stop, in milliseconds. Collecting ends
 * at once. A payment that was sent goes on: earlier reversals of its acquirer first, then the request, its card, and
 * the reversal if the outcome is unknown.
 */
export function longestPaymentMs({ acquirers, octopus, timeouts }: Configuration): number {
  const { pendingMs, reversalWaitMs, walletResolveMs, octopusIncompleteMs } = timeouts;
  const atHosts = acquirers.map((each) => {
    const requestMs = each.connectTimeoutMs + each.replyTimeoutMs;
    return pendingMs + requestMs + reversalWaitMs + (each.protocol === 'qfpay' ? walletResolveMs : deviceMs);
  });
  return Math.max(...atHosts, octopus ? octopusIncompleteMs + deviceMs + reversalWaitMs : 0);
}
