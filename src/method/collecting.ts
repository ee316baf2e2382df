import type { Answered } from '../transaction/machine.ts';
import { type CollectFailure, collectConclusion } from '../transaction/decide.ts';

/** Nothing is armed: the customer or the merchant answers on the screen, or somebody cancels. */
export async function awaitScreen(signal: AbortSignal): Promise<Extract<Answered, { kind: 'ended' }>> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return endCollecting({ kind: 'cancelled', by: 'customer' });
}

/** Collecting is over, and nothing was asked of any host. */
export function endCollecting(failure: CollectFailure): Extract<Answered, { kind: 'ended' }> {
  return { kind: 'ended', conclusion: collectConclusion(failure) };
}
