import type { Answered } from '../transaction/machine.ts';
import { type CollectFailure, collectConclusion } from '../transaction/decide.ts';

/**
 * Waits until the signal aborts. No device is armed: the merchant or customer acts on the screen, or the payment is
 * cancelled.
 */
export async function awaitScreen(signal: AbortSignal): Promise<Extract<Answered, { kind: 'ended' }>> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return endCollecting({ kind: 'cancelled', by: 'customer' });
}

/** Ends collecting before any host was asked. */
export function endCollecting(failure: CollectFailure): Extract<Answered, { kind: 'ended' }> {
  return { kind: 'ended', conclusion: collectConclusion(failure) };
}
