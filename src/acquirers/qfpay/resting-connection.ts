import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';

/** A connection that rested longer may be forgotten by a router, and would swallow the next request. */
const idleMsMax = 10_000;
/** Before the host's own time is over: a request that meets its end on the way would be unknown. */
const hintMarginMs = 1000;

/** The one connection that is kept between requests. A host that ends it, or says more than it was asked, loses it. */
export class RestingConnection {
  readonly #clock: Clock;
  #rest: { readonly socket: Duplex; readonly end: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps it, unless one is kept already. `keepAlive`: the header of its last answer, 'timeout=5'. */
  keep(socket: Duplex, keepAlive: string): void {
    const hint = /^timeout=(\d{1,6})/.exec(keepAlive)?.[1];
    const restMs = hint === undefined ? idleMsMax : Math.min(idleMsMax, Number(hint) * 1000 - hintMarginMs);
    if (this.#rest || restMs <= 0 || !socket.writable) {
      socket.destroy();
      return;
    }
    const lose = () => {
      end();
      socket.destroy();
    };
    const timer = this.#clock.setTimeout(lose, restMs);
    const end = () => {
      this.#clock.clearTimeout(timer);
      for (const event of ['data', 'end', 'close'] as const) socket.off(event, lose);
      this.#rest = undefined;
    };
    for (const event of ['data', 'end', 'close'] as const) socket.on(event, lose);
    this.#rest = { socket, end };
  }

  take(): Duplex | undefined {
    const rest = this.#rest;
    rest?.end();
    return rest?.socket.writable ? rest.socket : undefined;
  }
}
