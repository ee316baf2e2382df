import type { Clock } from '../ports/clock.ts';

/** Ends early when the signal is aborted. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted) done();
  });
}

/** Waits for `work`, but not longer than `ms`. */
export function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const settled = () => {
      clock.clearTimeout(timer);
      resolve();
    };
    work.then(settled, settled);
  });
}
