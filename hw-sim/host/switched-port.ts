import { Turns } from '../turns.ts';

/** A port that can be closed and opened again under the same number. */
interface Port {
  readonly port: number;
  open(): Promise<void>;
  shut(): Promise<void>;
}

export interface SwitchedPortOptions<Mode> {
  /** Name of the host. */
  readonly id: string;
  readonly listener: Port;
  /** The mode of a host without faults. */
  readonly up: Mode;
  /** Throws RangeError for an unknown mode. */
  readonly check: (mode: Mode) => void;
  /** Called with the mode that holds from now on. */
  readonly onMode: (mode: Mode) => void;
}

/** A host's mode, which opens and closes its port, and the host's change listeners. */
export class SwitchedPort<Mode extends { readonly mode: string }> {
  readonly #options: SwitchedPortOptions<Mode>;
  readonly #listeners = new Set<() => void>();
  #mode: Mode;
  #closed = false;
  /** Opening and closing run one after the other: a quick down, up, down ends as down. */
  readonly #turns = new Turns();

  constructor(options: SwitchedPortOptions<Mode>) {
    this.#options = options;
    this.#mode = options.up;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** Opens the port and tells which it is. Rejects with the system's error (EADDRINUSE) if it can't. */
  listen(): Promise<number> {
    const { listener } = this.#options;
    return this.#turns.take(async () => {
      await this.#open();
      if (this.#mode.mode === 'down') await listener.shut();
      return listener.port;
    });
  }

  /** Rejects with RangeError for an unknown mode, and if the port was taken in the meantime. */
  async setMode(mode: Mode): Promise<void> {
    const { check, listener } = this.#options;
    check(mode);
    await this.#turns.take(async () => {
      const before = this.#mode;
      // The mode is set first, so that it already applies to the first message after the port opens again.
      this.#switch({ ...mode });
      try {
        if (mode.mode === 'down') await listener.shut();
        else await this.#open();
      } catch (error) {
        this.#switch(before);
        throw error;
      }
      this.changed();
    });
  }

  /** Changes the part of the mode that applies only once. */
  amend(change: Partial<Mode>): void {
    this.#mode = { ...this.#mode, ...change };
  }

  reset(): Promise<void> {
    return this.setMode(this.#options.up);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turns.take(() => this.#options.listener.shut());
    this.#listeners.clear();
  }

  /** Calls back after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #switch(mode: Mode): void {
    this.#mode = mode;
    this.#options.onMode(mode);
  }

  async #open(): Promise<void> {
    if (this.#closed) throw new Error(`host ${this.#options.id} is closed`);
    await this.#options.listener.open();
    this.changed();
  }
}
