import type { Duplex } from 'node:stream';
import { dialHost } from '../../base/dial/dial.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  /** Covers name lookup and connection together, on all addresses of the host. */
  readonly connectTimeoutMs: number;
}

/** Opens a connection to a host. A simulation provides its own. */
export type Dial = (address: HostAddress, clock: MonotonicClock, signal: AbortSignal) => Promise<Duplex | undefined>;

/** A connected socket; undefined if the host refused or did not answer in time, or if `signal` was aborted. */
export const dial: Dial = ({ host, port, connectTimeoutMs }, clock, signal) =>
  dialHost({ host, port, connectTimeoutMs }, clock, signal).catch(() => undefined);
