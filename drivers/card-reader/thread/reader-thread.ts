import { Worker, type WorkerOptions } from 'node:worker_threads';
import { withinMs } from '../../../src/base/ports/pause.ts';
import type { RetryReason } from '../../../src/base/ports/card-reader.ts';
import type { Clock } from '../../../src/base/ports/clock.ts';
import { type DeviceAbsence, DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import { PortLender } from '../../transport/lent-port.ts';
import { linePath } from '../open-reader.ts';
import { type SentOutcome, wipeSent } from './crossing.ts';
import type { FromThread, ReaderCall, ThreadData, ToThread } from './messages.ts';

export interface ThreadLimits {
  readonly clock: Clock;
  /** Interval of the pings that check whether the thread's event loop runs. */
  readonly pingMs: number;
  /** Time-out of a close, which first disarms the reader. */
  readonly closeMs: number;
  /** Replaces the worker in tests. */
  readonly spawn?: (file: URL, options: WorkerOptions) => Worker;
}

export interface ThreadEars {
  readonly onBegun: (refused: string | undefined) => void;
  readonly onState: (state: DeviceState) => void;
  readonly onFault: (error: DeviceError, why: DeviceAbsence) => void;
  /** Called once, if the thread has ended or hangs. No other call follows. */
  readonly onEnd: (reason: string) => void;
}

interface Waiting {
  readonly resolve: (outcome: SentOutcome) => void;
  readonly reject: (error: Error) => void;
  readonly onRetry: ((reason: RetryReason) => void) | undefined;
}

/**
 * After so many unanswered pings in a row the thread counts as hanging. A single one may be delayed by work of the main
 * thread.
 */
const pingsMissedMax = 3;

/** Megabytes. The thread holds a reader's frames and a few hundred objects; needing more is a fault. */
const heap = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

/** Beside this file, both in the sources and in the bundle. */
const workerUrl = new URL(`./reader-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.cjs'}`, import.meta.url);

/** The main thread's side of one reader thread. */
export class ReaderThread {
  readonly #name: string;
  readonly #limits: ThreadLimits;
  readonly #ears: ThreadEars;
  readonly #worker: Worker;
  readonly #lender: PortLender;
  readonly #waiting = new Map<number, Waiting>();
  readonly #releasing = new Map<number, () => void>();
  readonly #closed = Promise.withResolvers<void>();
  /** From the thread's last pong. The count has no message of its own. */
  turns = 0;
  #calls = 0;
  #missed = 0;
  #timer: unknown;
  #ended = false;
  #isClosing = false;

  constructor(name: string, workerData: ThreadData, limits: ThreadLimits, ears: ThreadEars) {
    this.#name = name;
    this.#limits = limits;
    this.#ears = ears;
    const { baudRate, serial } = workerData.device;
    this.#lender = new PortLender(
      { path: linePath(workerData.device) ?? '', baudRate, identity: { serial } },
      (answer) => this.#post({ kind: 'port', answer }),
    );
    const { spawn = (file, options) => new Worker(file, options) } = limits;
    this.#worker = spawn(workerUrl, { workerData, name: 'reader', resourceLimits: heap });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#end(`its thread has failed: ${error.message}`));
    this.#worker.on('exit', () => this.#end('its thread has ended'));
    this.#watch();
  }

  /** Rejects with DeviceError; 'vanished' if the thread ends meanwhile. */
  call(call: ReaderCall, onRetry?: (reason: RetryReason) => void): { number: number; outcome: Promise<SentOutcome> } {
    const number = ++this.#calls;
    const outcome = new Promise<SentOutcome>((resolve, reject) => {
      if (this.#ended) return reject(this.#vanished());
      this.#waiting.set(number, { resolve, reject, onRetry });
      this.#post({ ...call, call: number });
    });
    return { number, outcome };
  }

  /**
   * Resolves once the thread has received the abort. If the call had already ended, its card has been released by then.
   */
  abort(number: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ended) return resolve();
      this.#releasing.set(number, resolve);
      this.#post({ kind: 'abort', call: number });
    });
  }

  /** Has a deadline that neither the reader nor its thread can extend. Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#post({ kind: 'close' });
    await withinMs(this.#closed.promise, this.#limits.closeMs, this.#limits.clock);
    this.#end('it was closed');
    await this.#lender.end();
  }

  #post(message: ToThread): void {
    if (!this.#ended) this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (this.#ended) {
      if (message.kind === 'outcome') wipeSent(message.outcome);
      return;
    }
    this.#missed = 0;
    switch (message.kind) {
      case 'begun':
        return this.#ears.onBegun(message.refused);
      case 'state':
        return this.#ears.onState(message.state);
      case 'fault':
        return this.#ears.onFault(new DeviceError('absent', message.message), message.why);
      case 'retry':
        return this.#waiting.get(message.call)?.onRetry?.(message.reason);
      case 'outcome':
        return this.#take(message.call)?.resolve(message.outcome);
      case 'failure': {
        const { code, message: text } = message;
        return this.#take(message.call)?.reject(code === undefined ? new Error(text) : new DeviceError(code, text));
      }
      case 'released':
        this.#releasing.get(message.call)?.();
        return void this.#releasing.delete(message.call);
      case 'closed':
        return this.#closed.resolve();
      case 'port':
        return void this.#lender.handle(message.ask);
      case 'pong':
        this.turns = message.turns;
        return;
      default:
        return message satisfies never;
    }
  }

  #take(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #watch(): void {
    const { clock, pingMs } = this.#limits;
    this.#timer = clock.setTimeout(() => {
      if (this.#missed++ >= pingsMissedMax) return this.#end('its thread does not answer');
      this.#post({ kind: 'ping' });
      this.#watch();
    }, pingMs);
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#limits.clock.clearTimeout(this.#timer);
    // Not awaited: a thread that hangs in a call of the system does not end.
    void this.#worker.terminate();
    void this.#lender.end();
    for (const { reject } of this.#waiting.values()) reject(this.#vanished());
    for (const release of this.#releasing.values()) release();
    this.#waiting.clear();
    this.#releasing.clear();
    this.#closed.resolve();
    if (!this.#isClosing) this.#ears.onEnd(reason);
  }

  #vanished(): DeviceError {
    return new DeviceError('vanished', `${this.#name} vanished: its thread has ended`);
  }
}
