import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { inState } from '../../base/domain/written-files.ts';
import { plainText } from '../../base/domain/plain-text.ts';
import { systemClock } from '../../base/ports/clock.ts';
import { asOwnerOf } from '../../base/secrets/state-owner.ts';
import { traceLimits } from '../../observability/line-trace.ts';
import {
  type TraceRequest,
  traceAnswer,
  type TraceEnded,
  traceEnded,
  type TracedLine,
  tracedLine,
} from '../../observability/trace-request.ts';
import { CommissioningError } from '../commissioning-error.ts';

/** No line of the terminal is longer. The limit is needed because the service may be compromised. */
const lineBytesMax = 262_144;
const answerMs = 10_000;
/** After the time of the trace, its last messages may still come for so long. */
const lastMs = 30_000;
/** The limit after a stop. A working terminal ends the trace and the connection at once. */
const stopMs = 2_000;

/** A trace of the terminal that runs with a state directory. */
export class TraceClient {
  readonly #socket: Socket;
  readonly #onMessage: (message: TracedLine) => void;
  readonly #begun = Promise.withResolvers<readonly string[]>();
  readonly #ended = Promise.withResolvers<TraceEnded | undefined>();
  #rest = '';
  #isStopped = false;
  #isBegun = false;
  #lines = 0;
  #messages = 0;
  #bytes = 0;

  private constructor(socket: Socket, onMessage: (message: TracedLine) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    // Either promise may reject before it is awaited.
    for (const { promise } of [this.#begun, this.#ended]) promise.catch(() => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#begun.reject(new CommissioningError('the terminal has ended the connection'));
      this.#ended.resolve(undefined);
    });
  }

  /** Rejects with CommissioningError if no terminal runs there, or if it refuses. */
  static async begin(
    stateDir: string,
    request: TraceRequest,
    onMessage: (message: TracedLine) => void,
  ): Promise<TraceClient> {
    const client = new TraceClient(await asOwnerOf(stateDir, () => connected(stateDir)), onMessage);
    client.#socket.write(`${JSON.stringify(request)}\n`);
    const timer = systemClock.setTimeout(() => client.#socket.destroy(), answerMs);
    await client.#begun.promise.finally(() => systemClock.clearTimeout(timer));
    client.#endAfter(request.seconds * 1_000 + lastMs);
    return client;
  }

  /** The acquirers whose messages are recorded. */
  get acquirers(): Promise<readonly string[]> {
    return this.#begun.promise;
  }

  /** Undefined if the connection was lost. Rejects with the error of `onMessage`. */
  get ended(): Promise<TraceEnded | undefined> {
    return this.#ended.promise;
  }

  /**
   * Ends the trace; `ended` resolves after the last message, and within two seconds even if the terminal does nothing.
   * A second call closes the connection at once.
   */
  stop(): void {
    if (this.#isStopped) return void this.#socket.destroy();
    this.#isStopped = true;
    this.#socket.end();
    this.#endAfter(stopMs);
  }

  #endAfter(ms: number): void {
    if (this.#socket.closed) return;
    const timer = systemClock.setTimeout(() => this.#socket.destroy(), ms);
    this.#socket.once('close', () => systemClock.clearTimeout(timer));
  }

  #take(text: string): void {
    this.#rest += text;
    // Only the new piece is searched for the end of the line, so the work does not grow with the line.
    const lines = text.includes('\n') ? this.#rest.split('\n') : [this.#rest];
    this.#rest = lines.pop() ?? '';
    try {
      for (const line of lines) this.#read(line);
      if (this.#rest.length > lineBytesMax) throw new CommissioningError('the terminal sends no trace');
    } catch (error) {
      this.#begun.reject(error);
      this.#ended.reject(error);
      this.#socket.destroy();
    }
  }

  #read(line: string): void {
    // A compromised service may send endlessly, so lines of any kind count.
    this.#count(line);
    const json = parse(line);
    const message = tracedLine.safeParse(json).data;
    if (message) {
      this.#messages += 1;
      if (this.#messages > traceLimits.messagesMax) throw tooMuch();
      return this.#onMessage(message);
    }
    const end = traceEnded.safeParse(json).data;
    if (end) {
      this.#ended.resolve(end);
      this.#socket.end();
      return;
    }
    const answer = traceAnswer.safeParse(json).data;
    if (!answer || ('begun' in answer && this.#isBegun))
      throw new CommissioningError('the terminal sends no trace: is it of another version?');
    if ('refused' in answer) throw new CommissioningError(plainText(answer.refused).slice(0, 300));
    this.#isBegun = true;
    this.#begun.resolve(answer.begun.acquirers);
  }

  /** Besides its messages, a trace has a line for its begin and one for its end. */
  #count(line: string): void {
    this.#lines += 1;
    this.#bytes += line.length;
    if (this.#lines > traceLimits.messagesMax + 2 || this.#bytes > traceLimits.bytesMax + lineBytesMax) throw tooMuch();
  }
}

function tooMuch(): CommissioningError {
  return new CommissioningError('the terminal sends more than a trace may have');
}

/** Why a trace has ended, for a person. */
export function endText(end: TraceEnded | undefined): string {
  const texts: Readonly<Record<TraceEnded['ended'], string>> = {
    time: 'its time is over',
    messages: 'it has as many messages as a trace may have',
    bytes: 'it is as long as a trace may be',
    command: 'as asked',
    notRead: 'it was read too slowly',
    stop: 'the terminal stops',
    failure: 'a message could not be recorded: see the log',
  };
  return end ? texts[end.ended] : 'the connection to the terminal was lost';
}

async function connected(stateDir: string): Promise<Socket> {
  const socket = connect(inState(stateDir, 'trace.sock'));
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw new CommissioningError(`${stateDir} can't be used (EACCES): run this as root`);
    throw new CommissioningError(`no terminal that can be traced runs on ${stateDir} (${code})`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
