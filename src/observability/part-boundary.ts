import { AsyncLocalStorage } from 'node:async_hooks';
import { scrub } from '../base/domain/masking.ts';
import { plainText } from '../base/domain/plain-text.ts';
import type { Log } from './log.ts';

/** The parts outside of payments. Their failure must not affect payments. */
export const partNames = ['print', 'screen', 'metrics', 'events', 'cloud', 'protocol', 'trace'] as const;
export type PartName = (typeof partNames)[number];

/** Maximum number of different failures that are logged, so that a part that fails repeatedly does not fill the log. */
const reportedMax = 100;
const framesMax = 8;

/**
 * Isolates errors of a part from the rest of the process. Everything that a part begins (a timer, a socket, a promise)
 * belongs to it: an uncaught exception there is logged and counted, and the process continues. Any other uncaught
 * exception ends the process, as is Node's default, because the payment code may have left something undone: the next
 * start recovers it.
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

  /** How often each part has failed; without parts that never have. */
  get failures(): ReadonlyMap<PartName, number> {
    return this.#failures;
  }

  /** Runs `work` as part of `part`. Errors that it throws synchronously go to the caller. */
  within<T>(part: PartName, work: () => T): T {
    return this.#within.run(part, work);
  }

  /** Runs `work` as part of `part`, and isolates its errors from the caller. */
  notify(part: PartName, work: () => void): void {
    try {
      this.#within.run(part, work);
    } catch (error) {
      this.#fail(part, error);
    }
  }

  /** Runs work of a payment that a part has requested. Its errors are not isolated. */
  outside<T>(work: () => T): T {
    return this.#within.run(undefined, work);
  }

  /** Called after an uncaught failure of the part: its open work may be incomplete. */
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

/** The place where it was thrown, without its message, which is masked separately. */
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
