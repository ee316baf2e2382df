interface Readings<Value> {
  readonly running: Promise<Value>;
  /** Begins when the running one has ended. */
  next?: Promise<Value>;
}

/**
 * Readings of values that change. At most one reading of a key is in flight, and one more waits; further callers share the
 * waiting one. So readings of a target that hangs do not accumulate, and each result is of a reading that began after its
 * caller's request.
 */
export class SharedReadings<Key, Value> {
  readonly #readings = new Map<Key, Readings<Value>>();

  /** Rejects as `begin` does. The calls about one key have the same `begin`. */
  read(key: Key, begin: () => Promise<Value>): Promise<Value> {
    const known = this.#readings.get(key);
    if (!known) return this.#run(key, begin);
    const start = () => this.#run(key, begin);
    known.next ??= known.running.then(start, start);
    return known.next;
  }

  #run(key: Key, begin: () => Promise<Value>): Promise<Value> {
    const readings: Readings<Value> = { running: begin() };
    this.#readings.set(key, readings);
    const end = () => {
      if (readings.next === undefined) this.#readings.delete(key);
    };
    readings.running.then(end, end);
    return readings.running;
  }
}
