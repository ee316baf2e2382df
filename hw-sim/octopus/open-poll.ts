/** The poll that waits for a card: at most one. */
export class OpenPoll {
  #id: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  get isOpen(): boolean {
    return this.#id !== undefined;
  }

  open(id: number, timeoutMs: number, onTimeout: () => void): void {
    this.#id = id;
    this.#timer = setTimeout(onTimeout, timeoutMs);
  }

  /** Closes it, and returns the id of its request; undefined if none is open. */
  take(): number | undefined {
    const id = this.#id;
    clearTimeout(this.#timer);
    this.#id = undefined;
    return id;
  }
}
