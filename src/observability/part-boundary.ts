import { AsyncLocalStorage } from 'node:async_hooks';
import { scrub } from '../base/domain/masking.ts';
import { plainText } from '../base/domain/plain-text.ts';
import type { Log } from './log.ts';

/** The parts outside of payments. The terminal can do without what they do, but not without a payment. */
export const partNames = ['print', 'screen', 'metrics', 'events', 'cloud', 'protocol'] as const;
export type PartName = (typeof partNames)[number];

/** So many different failures are logged: a part that fails again and again fills no log. */
const reportedMax = 100;
const framesMax = 8;

/**
 * Keeps what goes wrong in a part from the rest of the process. Whatever such a part begins (a timer, a socket, a promise) belongs to
 * it: an uncaught exception there is logged and counted, and the process continues. Any other uncaught exception ends the
 * process, as is Node's default, because the payment code may have left something undone: the next start recovers it.
 */
export class PartBoundary {
  readonly #log: Pick<Log, 'failure' | 'warn'>;
  readonly #within = new AsyncLocalStorage<PartName | undefined>();
  readonly #failures = new Map<PartName, number>();
  readonly #reported = new Set<string>();
  readonly #listeners = new Map<PartName, () => void>();
  readonly #caught = (error: unknown): void => this.#uncaught(error);

  constructor(log: Pick<Log, 'failure' | 'warn'>) {
    this.#log = log;
    process.on('uncaughtException', this.#caught);
  }

  /** How often each part has failed, those that never have left out. */
  get failures(): ReadonlyMap<PartName, number> {
    return this.#failures;
  }

  /** Does the work as this part's. What it throws at once goes to the caller. */
  within<T>(part: PartName, work: () => T): T {
    return this.#within.run(part, work);
  }

  /** Does the work as this part's, for a caller who must not hear of its failure. */
  notify(part: PartName, work: () => void): void {
    try {
      this.#within.run(part, work);
    } catch (error) {
      this.#fail(part, error);
    }
  }

  /** Does the work of a payment, which a part has asked for. */
  outside<T>(work: () => T): T {
    return this.#within.run(undefined, work);
  }

  /** Called after a failure of the part that nobody caught: what it has open may be half done. */
  onFailure(part: PartName, listener: () => void): void {
    this.#listeners.set(part, listener);
  }

  async close(): Promise<void> {
    process.off('uncaughtException', this.#caught);
  }

  #uncaught(error: unknown): void {
    const part = this.#within.getStore();
    if (part === undefined) throw error;
    this.#fail(part, error);
    const listener = this.#listeners.get(part);
    if (listener) this.notify(part, listener);
  }

  #fail(part: PartName, error: unknown): void {
    this.#failures.set(part, (this.#failures.get(part) ?? 0) + 1);
    const { name, message, frames } = describe(error);
    const report = `${part} ${name} ${message}`;
    if (this.#reported.has(report) || this.#reported.size >= reportedMax) return;
    this.#reported.add(report);
    this.#log.failure(part, error);
    this.#log.warn('a part failed', { type: part, reason: scrub(plainText(`${name} ${frames}`)) });
  }
}

/** Where it was thrown, without its message: that is logged with care, or not at all. */
function describe(error: unknown) {
  if (!(error instanceof Error)) return { name: typeof error, message: '', frames: '' };
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    message: error.message,
    frames: lines
      .slice(0, framesMax)
      .map((line) => line.trim())
      .join(' '),
  };
}
