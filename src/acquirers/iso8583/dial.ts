import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
}

/** How a host is reached. A simulation brings its own line. */
export type Dial = (address: HostAddress, clock: Clock, signal: AbortSignal) => Promise<Duplex | undefined>;

/** So that routers between here and the host do not forget an idle connection, and a dead one is noticed. */
const keepAliveDelayMs = 30_000;

/** A connected socket, or nothing when the host refused, did not answer in time, or `signal` was aborted. */
export function dial(address: HostAddress, clock: Clock, signal: AbortSignal): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const { host, port } = address;
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs };
  const socket = connect({ host, port, signal, ...options });
  const timer = clock.setTimeout(() => socket.destroy(), address.connectTimeoutMs);
  socket.once('connect', () => {
    clock.clearTimeout(timer);
    resolve(socket);
  });
  // 'close' follows every 'error', and says all that matters here: the connection is no more.
  socket.on('error', () => {});
  socket.once('close', () => {
    clock.clearTimeout(timer);
    resolve(undefined);
  });
  return promise;
}
