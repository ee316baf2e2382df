import { askLocalStatus } from './local-status.ts';

export const reversing = 'reversing';

/**
 * What the terminal on this machine does, asked on loopback: idle, collecting, and so on. off: nobody listens. unknown: it can't be
 * told. `withReversals`: `reversing` while a reversal waits for its host.
 */
export async function readIdleState(port: number, withReversals: boolean): Promise<string> {
  const status = await askLocalStatus(port);
  if (typeof status === 'string') return status;
  if (!withReversals || status.state !== 'idle') return String(status.state);
  // A journal that does not answer keeps its queue to itself.
  if (status.pendingReversals === undefined) return 'unknown';
  return status.pendingReversals > 0 ? reversing : 'idle';
}
