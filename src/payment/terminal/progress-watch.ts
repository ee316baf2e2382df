import type { JournalEvent } from '../events/event.ts';
import type { JournalWatcher } from '../contracts/journal.ts';
import type { TerminalEvents } from '../contracts/terminal-events.ts';
import { mayEndWaiting } from '../records/evidence.ts';

/** idle: a payment or a settlement is over. ended: something that was unsettled may have ended. */
export type ProgressKind = 'idle' | 'ended';

/** Reports when something that was queued or unsettled may have ended, so that nobody has to poll for it. */
export class ProgressWatch implements JournalWatcher, TerminalEvents {
  readonly #listeners = new Set<(kind: ProgressKind) => void>();
  #settlements = 0;

  /** How many settlements have ended. */
  get settlements(): number {
    return this.#settlements;
  }

  /** `listener` never throws. Returns a function that stops listening. */
  onProgress(listener: (kind: ProgressKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  wrote(_id: unknown, events: readonly JournalEvent[]): void {
    if (events.some(mayEndWaiting)) this.#tell('ended');
  }

  settled(): void {
    this.#settlements += 1;
    this.#tell('ended');
  }

  emit({ state }: { readonly state: string }): void {
    if (state === 'idle') this.#tell('idle');
  }

  #tell(kind: ProgressKind): void {
    for (const listener of this.#listeners) listener(kind);
  }
}
