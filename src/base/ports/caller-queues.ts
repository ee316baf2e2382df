/** Waiting items by caller. Callers take turns: one with many items delays another by one item at a time. */
export class CallerQueues<Item> {
  /** The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  countOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  add(caller: string, item: Item): void {
    const own = this.#waiting.get(caller);
    if (own) own.push(item);
    else this.#waiting.set(caller, [item]);
    this.#size += 1;
  }

  /** Removes and returns the item whose turn it is; undefined if none waits. */
  next(): Item | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [caller, own] = first;
    const item = own.shift();
    this.#waiting.delete(caller);
    // It goes to the end of the queue.
    if (own.length > 0) this.#waiting.set(caller, own);
    this.#size -= 1;
    return item;
  }
}
