import type {
  CardCompletion,
  CardDecision,
  CardReader,
  CollectOutcome,
  CollectRequest,
  RetryReason,
} from '../../../src/base/ports/card-reader.ts';
import type { Clock } from '../../../src/base/ports/clock.ts';
import { type AbsenceListener, DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import type { PinOutcome, PinPad, PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { Reconnection } from '../../transport/line.ts';
import { linePath } from '../open-reader.ts';
import { receiveCollected, receiveCompletion, receivePin, type SentOutcome, wipeSent } from './crossing.ts';
import type { ReaderCall, ThreadData } from './messages.ts';
import { ReaderThread, type ThreadLimits } from './reader-thread.ts';

export interface ThreadedReaderOptions extends Partial<ThreadLimits> {
  readonly clock: Clock;
  readonly onFault?: AbsenceListener | undefined;
  /** Called once, if the system gives the thread no priority. */
  readonly onNoPriority?: ((reason: string) => void) | undefined;
  /** Pause before a thread that has ended is started again. */
  readonly restartMs?: number;
}

const defaults: { readonly pingMs: number; readonly closeMs: number; readonly restartMs: number } = {
  pingMs: 5_000,
  closeMs: 8_000,
  restartMs: 1_000,
};

/**
 * A card reader on a serial line, in a thread of its own, so that work of the main thread does not delay its bytes. If
 * the thread ends or hangs, the reader counts as absent and the thread is started again.
 */
export function threadedReader(data: ThreadData, options: ThreadedReaderOptions): CardReader {
  return new ThreadedReader(data, options);
}

class ThreadedReader implements CardReader {
  readonly name: string;
  readonly interfaces = ['contactless', 'chip', 'magstripe'] as const;
  readonly pinPad: PinPad = { enterPin: (request, signal) => this.#enterPin(request, signal) };
  readonly #data: ThreadData;
  readonly #options: ThreadedReaderOptions & typeof defaults;
  readonly #listeners = new Set<(state: DeviceState) => void>();
  readonly #reconnection: Reconnection;
  #thread: ReaderThread | undefined;
  #state: DeviceState = 'connecting';
  #hasPriority = true;
  /** Of the threads that have ended. */
  #turnsBefore = 0;

  constructor(data: ThreadData, options: ThreadedReaderOptions) {
    this.name = `${data.driver} at ${linePath(data.device)}`;
    this.#data = data;
    this.#options = { ...defaults, ...options };
    const { clock, onFault, restartMs } = this.#options;
    this.#reconnection = new Reconnection(this.name, { clock, onFault, reconnectMs: restartMs }, async () =>
      this.#start(),
    );
    this.#reconnection.start();
  }

  get turns(): number {
    return this.#turnsBefore + (this.#thread?.turns ?? 0);
  }

  get state(): DeviceState {
    return this.#state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async collect(
    request: CollectRequest,
    signal: AbortSignal,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    const call = { kind: 'collect', request, retries: onRetry !== undefined } as const;
    return (await this.#abortable(call, signal, receiveCollected, onRetry)) ?? { kind: 'cancelled' };
  }

  async complete(decision: CardDecision): Promise<CardCompletion> {
    // Without a thread no card can wait.
    if (!this.#thread) return { kind: 'lost' };
    const call = { kind: 'complete', decision: ownCopy(decision) } as const;
    return receiveCompletion(await this.#thread.call(call).outcome);
  }

  async show(decision: CardDecision): Promise<void> {
    await this.#thread?.call({ kind: 'show', decision: ownCopy(decision) }).outcome;
  }

  async close(): Promise<void> {
    await this.#reconnection.close(async () => {
      await this.#thread?.close();
      this.#thread = undefined;
    });
    this.#become('absent');
    this.#listeners.clear();
  }

  async #enterPin(request: PinRequest, signal: AbortSignal): Promise<PinOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    return (await this.#abortable({ kind: 'enterPin', request }, signal, receivePin)) ?? { kind: 'cancelled' };
  }

  /** Undefined if the abort crossed with a card or a PIN: its data is overwritten, and no card waits at the reader. */
  async #abortable<Outcome>(
    asked: ReaderCall,
    signal: AbortSignal,
    receive: (sent: SentOutcome) => Outcome,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<Outcome | undefined> {
    const thread = this.#thread;
    if (!thread) throw new DeviceError('absent', `${this.name} is ${this.#state}`);
    const { number, outcome } = thread.call(asked, onRetry);
    let released: Promise<void> | undefined;
    const onAbort = () => {
      released = thread.abort(number);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const sent = await outcome;
      if (!signal.aborted || (sent.kind !== 'card' && sent.kind !== 'pin')) return receive(sent);
      wipeSent(sent);
      await released;
      return undefined;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #start(): void {
    this.#thread = new ReaderThread(this.name, this.#data, this.#options, {
      onBegun: (refused) => this.#handleBegin(refused),
      onState: (state) => this.#become(state),
      onFault: (error, why) => this.#options.onFault?.(error, why),
      onEnd: (reason) => {
        this.#turnsBefore = this.turns;
        this.#thread = undefined;
        this.#reconnection.handleLoss(reason, 'failed');
        this.#become('absent');
      },
    });
  }

  #handleBegin(refused: string | undefined): void {
    this.#reconnection.handleOpening();
    if (refused === undefined || !this.#hasPriority) return;
    this.#hasPriority = false;
    this.#options.onNoPriority?.(refused);
  }

  #become(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** A view would be sent with the whole buffer that it is part of. */
function ownCopy(decision: CardDecision): CardDecision {
  if (decision.kind === 'unreachable') return decision;
  const issuerData = new Map([...decision.issuerData].map(([tag, value]) => [tag, Uint8Array.from(value)]));
  return { ...decision, issuerData };
}
