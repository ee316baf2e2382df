import { platformTimers } from '../../base/domain/long-timeout.ts';

/**
 * Does `work` for at most `ms`, or until `signal`; then rejects, whatever becomes of the work. The timer keeps a program
 * alive that waits for nothing else, unlike AbortSignal.timeout.
 */
export async function withDeadline<Result>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const timer = platformTimers.setTimeout(() => end.abort(new DOMException('no answer in time', 'TimeoutError')), ms);
  const stop = () => end.abort(signal?.reason);
  const ended = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason as Error), { once: true });
  });
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(end.signal), ended]);
  } finally {
    platformTimers.clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
