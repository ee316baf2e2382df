import type { Duplex } from 'node:stream';
import type { MonotonicClock } from '../../base/ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  /** Covers name lookup, connection and TLS handshake together, on all addresses of the host. */
  readonly connectTimeoutMs: number;
}

/** Opens a connection to a host; undefined if that fails or takes too long, or if `signal` was aborted. */
export type Dial = (address: HostAddress, clock: MonotonicClock, signal: AbortSignal) => Promise<Duplex | undefined>;
