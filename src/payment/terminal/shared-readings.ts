interface Readings<Value> {
  running: Promise<Value>;
  /** Begins when the running one has ended. */
  next?: Promise<Value>;
}

/**
 * Readings of values that change. At most one reading of a key runs, and calls that arrive meanwhile share the next one, so
 * that each call gets what was true after it came.
 */
export class SharedReadings<Key, Value> {
  readonly #readings = new Map<Key, Readings<Value>>();
  readonly #begin: (key: Key) => Promise<Value>;

  constructor(begin: (key: Key) => Promise<Value>) {
    this.#begin = begin;
  }

  /** Rejects as the reading does. */
  read(key: Key): Promise<Value> {
    const known = this.#readings.get(key);
    if (!known) return this.#run(key);
    known.next ??= known.running.then(
      () => this.#run(key),
      () => this.#run(key),
    );
    return known.next;
  }

  #run(key: Key): Promise<Value> {
    const readings: Readings<Value> = { running: this.#begin(key) };
    this.#readings.set(key, readings);
    const end = () => {
      if (readings.next === undefined) this.#readings.delete(key);
    };
    readings.running.then(end, end);
    return readings.running;
  }
}
