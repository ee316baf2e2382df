import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
}

/** Opens a connection to a host. A simulation provides its own. */
export type Dial = (address: HostAddress, clock: Clock, signal: AbortSignal) => Promise<Duplex | undefined>;

/** Keeps routers from dropping an idle connection, and detects a dead one. */
const keepAliveDelayMs = 30_000;

/** A connected socket; undefined if the host refused or did not answer in time, or if `signal` was aborted. */
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
  // 'close' follows every 'error', and is all that matters here.
  socket.on('error', () => {});
  socket.once('close', () => {
    clock.clearTimeout(timer);
    resolve(undefined);
  });
  return promise;
}
