import { getEnvironmentData, isMainThread, setEnvironmentData, threadName } from 'node:worker_threads';

/**
 * Loaded into the daemon before anything else (NODE_OPTIONS=--import): its clocks go on by as much as its parent says ({ clockOnMs }),
 * in all of its threads, so that a night is over at once. What it waits for longer than anybody at the counter would comes due by
 * these clocks; every other wait takes its time.
 */
const nameOfData = 'how far the clock is ahead';
/** Milliseconds, of all threads. */
const ahead = isMainThread
  ? new BigInt64Array(new SharedArrayBuffer(8))
  : (getEnvironmentData(nameOfData) as unknown as BigInt64Array);
/**
 * The journal's thread waits for nobody at the counter, only for the time at which it looks at what is old. The reader's waits for a device,
 * whose answer would be late after a jump of the clock.
 */
const longMs = threadName === 'journal' ? 1_000 : 60_000;
const lookMs = 20;

const RealDate = Date;
const realNow = Date.now;
const realElapsed = performance.now.bind(performance);
const realSetTimeout = setTimeout;
const aheadMs = () => Number(Atomics.load(ahead, 0));

class FastDate extends RealDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(FastDate.now());
    else super(...(parts as [number]));
  }

  static override now(): number {
    return realNow() + aheadMs();
  }
}

globalThis.Date = FastDate as DateConstructor;
performance.now = () => realElapsed() + aheadMs();

/** clearTimeout() ends an interval as well. */
function fastSetTimeout(run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): NodeJS.Timeout {
  if (ms < longMs) return realSetTimeout(run, ms, ...values);
  const due = performance.now() + ms;
  const looking: NodeJS.Timeout = setInterval(() => {
    if (performance.now() < due) return;
    clearInterval(looking);
    run(...values);
  }, lookMs);
  return looking;
}

globalThis.setTimeout = Object.assign(fastSetTimeout, {
  __promisify__: realSetTimeout.__promisify__,
}) as typeof setTimeout;

if (isMainThread) {
  setEnvironmentData(nameOfData, ahead);
  process.on('message', ({ clockOnMs }: { clockOnMs?: number }) => {
    if (clockOnMs !== undefined) Atomics.add(ahead, 0, BigInt(clockOnMs));
  });
  process.channel?.unref();
}
