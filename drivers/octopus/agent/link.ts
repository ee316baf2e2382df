import { connect, type Socket } from 'node:net';
import type { Clock } from '../../../src/base/ports/clock.ts';
import {
  type AbsenceListener,
  type DeviceAbsence,
  DeviceError,
  type DeviceState,
} from '../../../src/base/ports/device.ts';
import { type AgentAnswer, type AgentCall, answerOf, identityOf, lineBytesMax, requestLine } from './wire.ts';

export interface LinkOptions {
  /** The agent's Unix socket. */
  readonly path: string;
  readonly clock: Clock;
  readonly answerTimeoutMs: number;
  /** Pause between two attempts to reach the agent. */
  readonly reconnectMs: number;
  readonly onFault?: AbsenceListener | undefined;
}

/**
 * connect(2): EACCES is the socket's permission. Without a socket, or with one that has no listener, there is no agent.
 */
const ofConnect: Readonly<Record<string, DeviceAbsence>> = {
  ENOENT: 'unplugged',
  ECONNREFUSED: 'unplugged',
  EACCES: 'noPermission',
  EAGAIN: 'busy',
  ENOTSOCK: 'wrongDevice',
};

const ofAgent: Readonly<Record<NoAnswer, DeviceAbsence>> = {
  'not-sent': 'failed',
  vanished: 'unplugged',
  silent: 'failed',
  garbled: 'wrongDevice',
};

/** Why there is no answer. 'not-sent': the request never left. The others: it left, and may have been carried out. */
export type NoAnswer = 'not-sent' | 'vanished' | 'silent' | 'garbled';
export type Reply = AgentAnswer | NoAnswer;

interface Pending {
  readonly id: number;
  finish(reply: Reply): void;
}

/** Limit of queued calls, the current one included: more would be a fault of the caller. */
const callsMax = 8;

const lineFeed = 0x0a;

/**
 * One connection to the agent, which reconnects by itself until closed. 'ready' once the agent has opened its reader.
 * One request is open at a time. A time-out and an answer without a request end the connection: a later answer on it
 * could be taken for that of the next request.
 */
export class AgentLink {
  readonly #options: LinkOptions;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  #state: DeviceState = 'connecting';
  #deviceId: string | undefined;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #pending: Pending | undefined;
  #lastId = 0;
  #calls = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: unknown;
  #closed = false;
  /** Of the socket that is in use: why it failed. */
  #error: string | undefined;
  #fault = '';

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#connect();
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** The reader's identity, as the agent gave it on the last connection. */
  get deviceId(): string | undefined {
    return this.#deviceId;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for its turn. `workMs` is added to the time-out of an answer. Never rejects. */
  async request(call: AgentCall, workMs = 0): Promise<Reply> {
    if (this.#calls >= callsMax) return 'not-sent';
    this.#calls++;
    const reply = this.#turn.then(() => {
      const socket = this.#socket;
      return socket && this.#state === 'ready' ? this.#exchange(socket, call, workMs) : 'not-sent';
    });
    this.#turn = reply;
    try {
      return await reply;
    } finally {
      this.#calls--;
    }
  }

  /** The agent has lost its reader: reconnects, because only `open` makes the reader usable again. */
  reopen(): void {
    this.#lose(this.#socket, 'vanished');
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#lose(socket, 'vanished');
    this.#become('absent');
    this.#listeners.clear();
    if (!socket || socket.closed) return;
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  }

  #connect(): void {
    const socket = connect({ path: this.#options.path });
    this.#socket = socket;
    this.#after(this.#options.answerTimeoutMs, () => this.#lose(socket, 'silent'));
    socket.once('connect', () => void this.#open(socket));
    socket.on('data', (chunk) => {
      if (socket === this.#socket && !this.#take(chunk)) this.#lose(socket, 'garbled');
    });
    // 'close' follows every 'error'.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (socket === this.#socket) this.#error = error.code;
    });
    socket.once('close', () => this.#lose(socket, 'vanished'));
  }

  async #open(socket: Socket): Promise<void> {
    if (socket !== this.#socket) return;
    this.#options.clock.clearTimeout(this.#timer);
    const reply = await this.#exchange(socket, { call: 'open' }, 0);
    if (socket !== this.#socket) return;
    const identity = typeof reply === 'object' && reply.code === 0 ? identityOf(reply) : undefined;
    if (!identity) {
      this.#lose(socket, 'vanished');
      return;
    }
    this.#deviceId = identity.deviceId;
    this.#fault = '';
    this.#become('ready');
  }

  #exchange(socket: Socket, call: AgentCall, workMs: number): Promise<Reply> {
    const { clock, answerTimeoutMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const id = ++this.#lastId;
    const timer = clock.setTimeout(() => this.#lose(socket, 'silent'), workMs + answerTimeoutMs);
    const finish = (reply: Reply) => {
      clock.clearTimeout(timer);
      this.#pending = undefined;
      resolve(reply);
    };
    this.#pending = { id, finish };
    socket.write(requestLine(id, call));
    return promise;
  }

  /** False if the bytes are not the answer to the open request. */
  #take(chunk: Uint8Array): boolean {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const end = this.#received.indexOf(lineFeed);
      if (end < 0) return this.#received.length < lineBytesMax;
      if (end >= lineBytesMax) return false;
      const answer = answerOf(this.#received.subarray(0, end));
      this.#received = this.#received.subarray(end + 1);
      if (!answer || answer.id !== this.#pending?.id) return false;
      this.#pending.finish(answer);
    }
  }

  #lose(socket: Socket | undefined, reason: NoAnswer): void {
    if (!socket || socket !== this.#socket) return;
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
    socket.destroy();
    this.#pending?.finish(reason);
    this.#reportFault(reason);
    this.#become('absent');
    this.#after(this.#options.reconnectMs, () => this.#connect());
  }

  #reportFault(reason: NoAnswer): void {
    const error = this.#error;
    this.#error = undefined;
    const why = error === undefined ? ofAgent[reason] : (ofConnect[error] ?? 'failed');
    const text = error ?? reason;
    const fault = why === 'failed' ? text : why;
    if (this.#closed || fault === this.#fault) return;
    this.#fault = fault;
    this.#options.onFault?.(new DeviceError('absent', `${this.#options.path}: ${text}`), why);
  }

  #after(ms: number, run: () => void): void {
    this.#options.clock.clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = this.#options.clock.setTimeout(run, ms);
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
