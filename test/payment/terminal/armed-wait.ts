import type { Trace } from './trace.ts';

/** A device that waits for the customer. The test decides what it gives, and when it confirms a cancel. */
export class ArmedWait<Outcome extends { readonly kind: string }> {
  readonly #device: string;
  readonly #cancelled: Outcome;
  readonly #trace: Trace;
  #settle: PromiseWithResolvers<Outcome> | undefined;
  /** The cancel handshake waits for confirmDisarm. */
  holdsDisarm = false;

  constructor(device: string, cancelled: Outcome, trace: Trace) {
    this.#device = device;
    this.#cancelled = cancelled;
    this.#trace = trace;
  }

  get armed(): boolean {
    return this.#settle !== undefined;
  }

  arm(signal: AbortSignal): Promise<Outcome> {
    this.#trace.push(`${this.#device}: armed`);
    const settle = Promise.withResolvers<Outcome>();
    this.#settle = settle;
    const cancel = () => {
      this.#trace.push(`${this.#device}: cancelling`);
      if (!this.holdsDisarm && this.#settle === settle) this.answer(this.#cancelled);
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return settle.promise;
  }

  /** Ends the current wait with this result. No effect without one. */
  answer(outcome: Outcome): void {
    const settle = this.#settle;
    if (!settle) return;
    this.#settle = undefined;
    this.#trace.push(`${this.#device}: ${outcome.kind}`);
    settle.resolve(outcome);
  }

  fail(error: Error): void {
    const settle = this.#settle;
    if (!settle) return;
    this.#settle = undefined;
    this.#trace.push(`${this.#device}: failed`);
    settle.reject(error);
  }

  confirmDisarm(): void {
    this.answer(this.#cancelled);
  }
}
