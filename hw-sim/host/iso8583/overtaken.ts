import type { Link } from './link.ts';

/** A request that has arrived and is not read yet. */
export interface Lingering {
  readonly link: Link;
  readonly tpdu: Buffer;
  readonly message: Buffer;
  /** Its connection stays open and gets the answer. */
  readonly lateAnswer: boolean;
  /** How long after the reversal it is read. */
  readonly delayMs: number;
}

/** Requests that linger at the front end until the host has answered their reversal. */
export class Overtaken {
  readonly #read: (request: Lingering) => void;
  readonly #lingering: Lingering[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(read: (request: Lingering) => void) {
    this.#read = read;
  }

  add(request: Lingering): void {
    this.#lingering.push(request);
    if (!request.lateAnswer) request.link.close();
  }

  /** A reversal has been answered. */
  release(): void {
    for (const request of this.#lingering.splice(0)) {
      if (!request.lateAnswer || request.delayMs === 0) this.#read(request);
      else this.#later(request);
    }
  }

  drop(): void {
    this.#lingering.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #later(request: Lingering): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#read(request);
    }, request.delayMs);
    this.#timers.add(timer);
  }
}
