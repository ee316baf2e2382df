import { askLocalStatus } from './local-status.ts';

export const reversing = 'reversing';

/**
 * The state of the terminal on this machine, requested on loopback: idle, collecting, and so on. off: no terminal
 * listens. unknown: it does not report its state. `withReversals`: `reversing` while a reversal waits for its host.
 */
export async function readIdleState(port: number, withReversals: boolean): Promise<string> {
  const status = await askLocalStatus(port);
  if (typeof status === 'string') return status;
  if (!withReversals || status.state !== 'idle') return String(status.state);
  // If the journal does not answer, its queue is unknown.
  if (status.pendingReversals === undefined) return 'unknown';
  return status.pendingReversals > 0 ? reversing : 'idle';
}
