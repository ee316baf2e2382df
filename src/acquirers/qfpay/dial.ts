import { connect as connectPlain, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import type { Clock } from '../../ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly ca: string | undefined;
  /** Covers name lookup, connection and TLS handshake together. */
  readonly connectTimeoutMs: number;
}

/** Opens a connection to a host. A simulation provides its own. */
export type Dial = (address: HostAddress, clock: Clock, signal: AbortSignal) => Promise<Duplex | undefined>;

/** Keeps routers from dropping a connection that waits for a slow answer. */
const keepAliveDelayMs = 30_000;

/** A connected socket with a checked certificate; undefined if there was none in time, or if `signal` was aborted. */
export function dial(address: HostAddress, clock: Clock, signal: AbortSignal): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  if (signal.aborted) return Promise.resolve(undefined);
  const socket = connecting(address);
  const giveUp = () => socket.destroy();
  const timer = clock.setTimeout(giveUp, address.connectTimeoutMs);
  const over = (result: Socket | undefined) => {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    resolve(result);
  };
  signal.addEventListener('abort', giveUp);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveDelayMs);
  socket.once(address.secure ? 'secureConnect' : 'connect', () => over(socket));
  // 'close' follows every 'error', and is all that matters here.
  socket.on('error', () => {});
  socket.once('close', () => over(undefined));
  return promise;
}

function connecting({ host, port, secure, ca }: HostAddress): Socket {
  if (!secure) return connectPlain({ host, port });
  // An IP address is not sent as server name (RFC 6066, 3); the certificate must contain it all the same.
  const servername = isIP(host) ? '' : host;
  return connectSecure({ host, port, servername, ca, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
}
