import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure, type TLSSocket } from 'node:tls';
import { tlsRules } from '../domain/tls-suites.ts';
import type { MonotonicClock } from '../ports/clock.ts';
import { eachRound, MeteredSocket, type Pace } from '../tls/metered-socket.ts';
import { Attempts, type Open } from './attempts.ts';
import { type Lookup, systemLookup } from './lookup.ts';

export interface SecureTarget
  extends Pick<
    ConnectionOptions,
    'ca' | 'cert' | 'key' | 'secureContext' | 'session' | 'rejectUnauthorized' | 'ALPNProtocols'
  > {
  /** The name in the certificate, if it differs from the host's. */
  readonly name?: string | undefined;
  /** Called with each connection before its handshake. */
  readonly prepare?: (socket: TLSSocket) => void;
  /** Called after the handshake. A returned error ends the connection. */
  readonly check?: (socket: TLSSocket) => Error | undefined;
}

export interface DialTarget {
  /** A name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** For TLS. The certificate must be of `host`, whichever address answers. */
  readonly secure?: SecureTarget | undefined;
  /** How fast the encrypted bytes of one connection are read; otherwise a piece in each round of the event loop. */
  readonly pace?: () => Pace;
  /** Covers name lookup, connection and TLS handshake together, on all addresses of the host. */
  readonly connectTimeoutMs: number;
}

/** Parts that a test replaces. */
export interface DialParts {
  readonly lookup?: Lookup;
  readonly open?: Open;
}

/** Session tickets of a server are some kilobytes (RFC 8446, 4.6.1). */
const meter = { overheadBytesMax: 16_384, pieceBytes: 4_096 };

/** Keeps routers from dropping an idle connection, and detects a dead one. */
const keepAliveDelayMs = 30_000;

/**
 * A connection to a host, with a checked certificate if it is secure. Rejects with the reason if no address of the host
 * accepted it in time, and with that of `signal` when it is aborted. A call returns only one connection; later ones are
 * closed.
 */
export async function dialHost(
  target: DialTarget,
  clock: MonotonicClock,
  signal: AbortSignal,
  { lookup = systemLookup, open = openerOf(target) }: DialParts = {},
): Promise<Socket> {
  const { host, connectTimeoutMs } = target;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const deadlineMs = clock.elapsedMs() + connectTimeoutMs;
  const timer = clock.setTimeout(
    () => reject(Object.assign(new Error(`no connection within ${connectTimeoutMs} ms`), { code: 'ETIMEDOUT' })),
    connectTimeoutMs,
  );
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let attempts: Attempts | undefined;
  let isOver = false;
  lookup(host).then((addresses) => {
    if (isOver) return;
    const onFailure = (errors: readonly Error[]) => reject(failureOf(errors));
    attempts = new Attempts({ addresses, open, clock, deadlineMs, onOpen: resolve, onFailure });
  }, reject);
  try {
    return await promise;
  } finally {
    isOver = true;
    attempts?.end();
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function openerOf({ host, port, secure, pace = () => eachRound }: DialTarget): Open {
  return (address, onOpen) => {
    const raw = connectPlain({ host: address, port });
    raw.setNoDelay(true);
    raw.setKeepAlive(true, keepAliveDelayMs);
    if (secure) return openSecure(host, raw, { ...secure, host: address }, pace(), onOpen);
    raw.once('connect', onOpen);
    return raw;
  };
}

/** An IP address is not sent as server name (RFC 6066, 3); the certificate must contain it all the same. */
function openSecure(
  host: string,
  raw: Socket,
  { name = host, prepare, check, ...options }: SecureTarget & { readonly host: string },
  pace: Pace,
  onOpen: () => void,
): Socket {
  const fail = (error: Error): void => void socket.destroy(error);
  const metered = new MeteredSocket(raw, { ...meter, pace, onFault: fail });
  const servername = isIP(name) === 0 ? name : '';
  const socket = connectSecure({ ...options, ...tlsRules, servername, socket: metered });
  raw.on('error', fail);
  prepare?.(socket);
  socket.once('secureConnect', () => {
    metered.watch(socket);
    const fault = check?.(socket);
    if (fault) socket.destroy(fault);
    else onOpen();
  });
  return socket;
}

function failureOf(errors: readonly Error[]): Error {
  const [first = new Error('the host has no address'), ...others] = errors;
  if (others.length === 0) return first;
  const failure = new Error(errors.map(sentenceOf).join('; '));
  return Object.assign(failure, { code: (first as NodeJS.ErrnoException).code });
}

function sentenceOf({ message, code }: NodeJS.ErrnoException): string {
  return message || code || 'the connection failed';
}
