/** Notifies listeners of changes: once for all changes of one turn, after they have settled. */
export class Changes {
  readonly #listeners = new Set<() => void>();
  #pending = false;

  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly happened = (): void => {
    if (this.#pending) return;
    this.#pending = true;
    queueMicrotask(() => {
      this.#pending = false;
      for (const listener of this.#listeners) listener();
    });
  };

  close(): void {
    this.#listeners.clear();
  }
}
