import type { MonotonicClock } from '../base/ports/clock.ts';
import type { LineMessage, MaskedMessage } from '../payment/contracts/line-message.ts';

/** A trace ends at the first of these limits, whatever the request. */
export const traceLimits = { secondsMax: 3_600, messagesMax: 10_000, bytesMax: 8 * 1024 * 1024 } as const;

/**
 * Why a trace has ended. command: the command has ended the connection. notRead: its reader is too slow. stop: the
 * terminal stops. failure: a message could not be recorded.
 */
export const traceEnds = ['time', 'messages', 'bytes', 'command', 'notRead', 'stop', 'failure'] as const;
export type TraceEnd = (typeof traceEnds)[number];

/** A recorded message. It contains no secret. */
export interface TracedMessage extends MaskedMessage {
  readonly at: string;
  readonly acquirer: string;
  readonly direction: LineMessage['direction'];
}

export interface TraceScope {
  readonly seconds: number;
  /** Absent: all card hosts. */
  readonly acquirer?: string | undefined;
}

export interface TraceSink {
  /** Writes a line of JSON with its line end. Returns false if the reader is too slow. */
  record(line: string): boolean;
  ended(reason: TraceEnd, messages: number): void;
}

interface Running extends TraceScope {
  readonly sink: TraceSink;
  readonly timer: unknown;
  messages: number;
  bytes: number;
}

/** Records the messages to and from card hosts, only during a trace. One trace runs at a time. */
export class LineTrace {
  readonly #clock: MonotonicClock;
  #running: Running | undefined;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Returns false if a trace already runs. */
  begin(scope: TraceScope, sink: TraceSink): boolean {
    if (this.#running) return false;
    const timer = this.#clock.setTimeout(() => this.end('time'), scope.seconds * 1_000);
    this.#running = { ...scope, sink, timer, messages: 0, bytes: 0 };
    return true;
  }

  /** Records a message. If that fails, ends the trace and throws the error. */
  hear(message: LineMessage): void {
    const running = this.#running;
    if (!running || (running.acquirer !== undefined && running.acquirer !== message.acquirerId)) return;
    try {
      this.#record(running, message);
    } catch (error) {
      this.end('failure');
      throw error;
    }
  }

  end(reason: TraceEnd): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    this.#clock.clearTimeout(running.timer);
    running.sink.ended(reason, running.messages);
  }

  #record(running: Running, message: LineMessage): void {
    const { acquirerId: acquirer, direction } = message;
    const at = this.#clock.now().toISOString();
    const traced: TracedMessage = { at, acquirer, direction, ...message.masked() };
    const line = `${JSON.stringify(traced)}\n`;
    running.bytes += Buffer.byteLength(line);
    if (running.bytes > traceLimits.bytesMax) return this.end('bytes');
    running.messages += 1;
    if (!running.sink.record(line)) this.end('notRead');
    else if (running.messages >= traceLimits.messagesMax) this.end('messages');
  }
}
