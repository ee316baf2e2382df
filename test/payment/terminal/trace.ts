/** Events in order, and a way to wait for one. */
export class Trace {
  readonly events: string[] = [];
  readonly #waiting: { readonly event: string; readonly times: number; readonly resolve: () => void }[] = [];

  push(event: string): void {
    this.events.push(event);
    for (const waiting of this.#waiting.splice(0)) {
      if (this.count(waiting.event) >= waiting.times) waiting.resolve();
      else this.#waiting.push(waiting);
    }
  }

  count(event: string): number {
    return this.events.filter((each) => each === event).length;
  }

  /** Resolves once `event` has happened `times` times. */
  seen(event: string, times = 1): Promise<void> {
    if (this.count(event) >= times) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ event, times, resolve }));
  }

  /** Index of the first `event`; -1 if it never happened. */
  at(event: string): number {
    return this.events.indexOf(event);
  }
}
