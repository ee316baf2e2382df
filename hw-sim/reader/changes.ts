/** Tells listeners that something has changed, once for everything that changed in one go, and when it has settled. */
export class Changes {
  readonly #listeners = new Set<() => void>();
  #pending = false;

  /** Returns the way to stop listening. */
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
