import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/ports/clock.ts';

/** A router may drop a connection that rested longer, and the next request would be lost. */
const idleMsMax = 10_000;
/** Ends the rest before the host does: a request that crosses the host's closing would be unknown. */
const hintMarginMs = 1000;

/**
 * The one idle connection that is kept between requests. It is dropped if the host closes it or sends unrequested data.
 */
export class RestingConnection {
  readonly #clock: Clock;
  #rest: { readonly socket: Duplex; readonly end: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Keeps the connection, unless there is one already. `keepAlive`: that header of its last answer, for example
   * 'timeout=5'.
   */
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
