import type * as z from 'zod';
import type { MonotonicClock, Random } from '../../base/ports/clock.ts';
import type { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import type { PosCalls } from './pos-calls.ts';

/** A protocol by which POS call this terminal. `More`: the parts for protocols of the product only. */
export interface PosProtocol<Settings = unknown, More = object> {
  /** For an added protocol also its key in `posProtocols` of the configuration. */
  readonly name: string;
  readonly settings: z.ZodType<Settings>;
  /**
   * It limits how many of its calls wait for an answer, as HTTP does by its connections. The calls of any other
   * protocol are limited by the terminal.
   */
  readonly limitsOwnCalls?: true;
  /**
   * Called once the terminal can take payments. Rejects if the protocol can't begin, and the start of the terminal
   * fails.
   */
  open(options: PosProtocolOptions<Settings> & More): Promise<OpenPosProtocol>;
}

export interface PosProtocolOptions<Settings = unknown> {
  readonly settings: Settings;
  readonly calls: PosCalls;
  /** Key and certificate of the terminal, if the configuration has TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Verifies calls that are signed with the key of a paired POS. Set if POS of the shop's network must be paired. */
  readonly authenticator?: RequestAuthenticator;
  readonly clock: MonotonicClock;
  readonly random: Random;
  /** Logs a failure of the protocol itself. */
  readonly onFailure: (error: unknown) => void;
}

export interface OpenPosProtocol {
  /** Its address, if it listens. */
  readonly port?: number;
  /** Its report in the terminal's status, under its name. Must not wait. */
  status?(): Readonly<Record<string, unknown>>;
  /** Takes no further calls, and resolves once those under way are answered. */
  close(): Promise<void>;
}
