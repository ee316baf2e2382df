import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { MonotonicClock } from '../base/ports/clock.ts';
import type { LineTrace, TraceEnd } from './line-trace.ts';
import { requestBytesMax, type TraceAnswer, type TraceRequest, traceRequest, unreadBytesMax } from './trace-request.ts';

/** Time limits for the arrival of a request, and for reading the last lines at a stop. */
const requestMs = 5_000;
const lastLinesMs = 1_000;
/** How long a client may take to read the last lines and close, after the end of a trace or a refusal. */
const closingMs = 3_000;
const connectionsMax = 4;

/** Begin or end of a trace, for the durable record. */
export interface AuditedTrace {
  readonly user: string;
  readonly uid: number;
  readonly state: 'begun' | 'ended';
  readonly acquirer?: string;
  readonly seconds?: number;
  readonly reason?: TraceEnd;
  readonly messages?: number;
}

export interface TraceSocketOptions {
  readonly trace: LineTrace;
  /** The acquirers that have a card host. */
  readonly acquirers: () => readonly string[];
  readonly clock: MonotonicClock;
  /** Resolves when the entry is durable. No trace begins before that. */
  readonly audit: (entry: AuditedTrace) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Accepts requests for traces on a local socket, which only this user and root can open. A trace ends when its
 * connection ends.
 */
export class TraceSocket {
  readonly #options: TraceSocketOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Entries of the record that are being written. */
  readonly #writing = new Set<Promise<void>>();
  #isTaken = false;
  #isClosing = false;

  private constructor(options: TraceSocketOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = connectionsMax;
  }

  /** Removes the socket of an earlier process first. Rejects with the system's error. */
  static async open(path: string, options: TraceSocketOptions): Promise<TraceSocket> {
    const opened = new TraceSocket(options);
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      opened.#server.once('error', reject);
      opened.#server.listen(path, resolve);
    });
    await chmod(path, 0o600);
    return opened;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#options.trace.end('stop');
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => this.#sockets.forEach((socket) => socket.destroy()), lastLinesMs);
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
    clock.clearTimeout(timer);
    await Promise.all(this.#writing);
  }

  #accept(socket: Socket): void {
    const { clock } = this.#options;
    this.#sockets.add(socket);
    const timer = clock.setTimeout(() => socket.destroy(), requestMs);
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const [line = '', rest] = text.split('\n');
      if (rest === undefined && text.length <= requestBytesMax) return;
      clock.clearTimeout(timer);
      socket.off('data', onData);
      // Further data on the connection are ignored.
      socket.resume();
      void this.#answer(socket, line);
    };
    socket.on('data', onData);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clock.clearTimeout(timer);
      this.#sockets.delete(socket);
    });
  }

  async #answer(socket: Socket, line: string): Promise<void> {
    const request = parseRequest(line);
    if (!request) return this.#refuse(socket, 'this is no request for a trace');
    const { trace, acquirers } = this.#options;
    const known = acquirers();
    if (request.acquirer !== undefined && !known.includes(request.acquirer))
      return this.#refuse(
        socket,
        `no acquirer ${request.acquirer} has a card host here: there are ${known.join(', ')}`,
      );
    if (this.#isTaken || trace.isRunning) return this.#refuse(socket, 'another trace is under way');
    this.#isTaken = true;
    try {
      await this.#begin(socket, request, known);
    } finally {
      this.#isTaken = false;
    }
  }

  async #begin(socket: Socket, request: TraceRequest, known: readonly string[]): Promise<void> {
    const { trace } = this.#options;
    const { seconds, acquirer, user, uid } = request;
    const who = { user, uid, ...(acquirer === undefined ? {} : { acquirer }) };
    if (!(await this.#isAudited({ ...who, state: 'begun', seconds })))
      return this.#refuse(socket, 'nothing is recorded: the record of traces can’t be written');
    // A client that closes after its own trace must not end that of another client.
    let isRunning = false;
    const ended = (reason: TraceEnd, messages: number) => {
      isRunning = false;
      this.#endWith(socket, { ended: reason, messages });
      void this.#isAudited({ ...who, state: 'ended', reason, messages });
    };
    if (socket.destroyed || socket.readableEnded || this.#isClosing)
      return ended(this.#isClosing ? 'stop' : 'command', 0);
    // The client ends the trace by ending its half of the connection, or all of it.
    const end = () => {
      if (isRunning) trace.end('command');
    };
    socket.once('end', end);
    socket.once('close', end);
    const acquirers = acquirer === undefined ? [...known] : [acquirer];
    send(socket, { begun: { seconds, acquirers } });
    const record = (line: string) => {
      socket.write(line);
      return socket.writableLength <= unreadBytesMax;
    };
    isRunning = trace.begin({ seconds, acquirer }, { record, ended });
  }

  #refuse(socket: Socket, why: string): void {
    this.#endWith(socket, { refused: why } satisfies TraceAnswer);
  }

  /** Limits the wait, because a client that does not close its half of the connection would block others. */
  #endWith(socket: Socket, last: object): void {
    if (socket.destroyed) return;
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => socket.destroy(), closingMs);
    socket.once('close', () => clock.clearTimeout(timer));
    socket.end(`${JSON.stringify(last)}\n`);
  }

  /** Writes an entry of the record. Resolves to whether it is durable. */
  async #isAudited(entry: AuditedTrace): Promise<boolean> {
    const { audit, onFailure } = this.#options;
    const writing = audit(entry);
    const settled = writing.catch(() => undefined);
    this.#writing.add(settled);
    try {
      await writing;
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    } finally {
      this.#writing.delete(settled);
    }
  }
}

function parseRequest(line: string): TraceRequest | undefined {
  try {
    return traceRequest.safeParse(JSON.parse(Buffer.from(line, 'latin1').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function send(socket: Socket, answer: TraceAnswer): void {
  socket.write(`${JSON.stringify(answer)}\n`);
}
