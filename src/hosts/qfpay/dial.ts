import type { Duplex } from 'node:stream';
import { dialHost } from '../../base/dial/dial.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly ca: string | undefined;
  /** Covers name lookup, connection and TLS handshake together, on all addresses of the host. */
  readonly connectTimeoutMs: number;
}

/** Opens a connection to a host. A simulation provides its own. */
export type Dial = (address: HostAddress, clock: MonotonicClock, signal: AbortSignal) => Promise<Duplex | undefined>;

/** A connected socket with a checked certificate; undefined if there was none in time, or if `signal` was aborted. */
export const dial: Dial = ({ host, port, secure, ca, connectTimeoutMs }, clock, signal) => {
  const tls = secure ? { ca, ALPNProtocols: ['http/1.1'] } : undefined;
  return dialHost({ host, port, secure: tls, connectTimeoutMs }, clock, signal).catch(() => undefined);
};
