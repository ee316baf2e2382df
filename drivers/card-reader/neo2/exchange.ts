import type { Clock } from '../../../src/base/ports/clock.ts';
import type { Transport } from '../../transport/transport.ts';
import { FrameDecoder, type Decoded } from './frame.ts';
import { status } from './status.ts';

/**
 * How one command ended. garbled: bytes came, but no frame. silent: nothing in time. vanished: the path no longer
 * exists. The receiver of an answer owns its data, and overwrites it if it may be card data.
 */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly data: Uint8Array;
      /** False: the acknowledgement that must come first is missing. */
      readonly acknowledged: boolean;
    }
  | { readonly kind: 'garbled' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'vanished' };

export interface ExchangeLimits {
  /** From the command, or from its acknowledgement where it has one. */
  readonly timeoutMs: number;
  /** Ends the wait at once, but not the reader's work: that needs a command of its own. */
  readonly signal?: AbortSignal;
  /** Bytes that are no frame don't end the wait. */
  readonly ignoreGarble?: boolean;
  /** For commands with two answers. The first has this status and no data, and must come in `timeoutMs`. */
  readonly acknowledgement?: { readonly status: number; readonly timeoutMs: number };
  /** Sent at an abort. Then the wait continues for `timeoutMs`: one answer ends both commands. */
  readonly withdrawal?: { readonly frame: Uint8Array; readonly timeoutMs: number };
}

interface Pending {
  readonly command: number;
  readonly signal: AbortSignal | undefined;
  readonly abort: () => void;
  ignoreGarble: boolean;
  /** The acknowledgement that is still to come before the answer. */
  acknowledgement: number | undefined;
  readonly acknowledged: () => void;
  readonly finish: (reply: Reply) => void;
}

/** One command and its answer at a time, over a transport. */
export class Exchange {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #frameGapMs: number;
  readonly #decoder = new FrameDecoder('msb-first');
  readonly #unsubscribe: readonly (() => void)[];
  #gapTimer: unknown;
  #pending: Pending | undefined;
  /** Signals that are listened to: a reader that is armed again and again has the same one each time. */
  readonly #signals = new WeakSet<AbortSignal>();

  /** `frameGapMs`: an incomplete frame is dropped this long after its last byte. */
  constructor(transport: Transport, clock: Clock, frameGapMs: number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#frameGapMs = frameGapMs;
    this.#unsubscribe = [
      transport.onData((chunk) => this.#receive(chunk)),
      transport.onState((state) => {
        if (state !== 'ready') this.#handleVanishing();
      }),
    ];
  }

  /** Sends a command and waits for the answer with the same command byte. Never rejects. */
  run(frame: Uint8Array, command: number, limits: ExchangeLimits): Promise<Reply> {
    if (this.#pending) throw new Error('one exchange at a time');
    const { timeoutMs, signal, ignoreGarble = false, acknowledgement, withdrawal } = limits;
    if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
    if (this.#transport.state !== 'ready') return Promise.resolve({ kind: 'vanished' });
    return new Promise((resolve) => {
      let timer: unknown;
      const waitFor = (ms: number) => {
        this.#clock.clearTimeout(timer);
        timer = this.#clock.setTimeout(() => pending.finish({ kind: 'silent' }), ms);
      };
      const write = (bytes: Uint8Array) => {
        this.#transport.write(bytes).catch(() => pending.finish({ kind: 'vanished' }));
      };
      const pending: Pending = {
        command,
        signal,
        abort: () => {
          if (!withdrawal) return pending.finish({ kind: 'aborted' });
          pending.ignoreGarble = true;
          waitFor(withdrawal.timeoutMs);
          write(withdrawal.frame);
        },
        ignoreGarble,
        acknowledgement: acknowledgement?.status,
        acknowledged: () => {
          pending.acknowledgement = undefined;
          // The deadline of the withdrawal stays in force.
          if (!signal?.aborted) waitFor(timeoutMs);
        },
        finish: (reply) => {
          if (this.#pending !== pending) return;
          this.#pending = undefined;
          this.#clock.clearTimeout(timer);
          resolve(reply);
        },
      };
      this.#pending = pending;
      if (signal) this.#listenTo(signal);
      waitFor((acknowledgement ?? limits).timeoutMs);
      write(frame);
    });
  }

  /** Stops listening; a running exchange ends as vanished. */
  close(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#handleVanishing();
  }

  #listenTo(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    signal.addEventListener('abort', () => this.#pending?.signal === signal && this.#pending.abort(), { once: true });
  }

  #receive(chunk: Uint8Array): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    const found = this.#decoder.push(chunk);
    chunk.fill(0);
    this.#handle(found);
    if (!this.#decoder.unfinished) return;
    this.#gapTimer = this.#clock.setTimeout(() => this.#handle(this.#decoder.giveUp()), this.#frameGapMs);
  }

  #handle(found: readonly Decoded[]): void {
    // A valid answer counts even if noise came with it, so it is looked for first.
    for (const decoded of found) if (decoded.kind === 'frame') this.#handleAnswer(decoded);
    const pending = this.#pending;
    if (pending && !pending.ignoreGarble && found.some(({ kind }) => kind === 'corrupt')) {
      pending.finish({ kind: 'garbled' });
    }
  }

  #handleAnswer(frame: Extract<Decoded, { kind: 'frame' }>): void {
    const pending = this.#pending;
    if (!pending || frame.command !== pending.command || frame.status === status.event) {
      frame.data.fill(0); // It may be card data that crossed with the cancellation.
      return;
    }
    if (frame.status === pending.acknowledgement && frame.data.length === 0) return pending.acknowledged();
    const acknowledged = pending.acknowledgement === undefined;
    pending.finish({ kind: 'answer', status: frame.status, data: frame.data, acknowledged });
  }

  #handleVanishing(): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    this.#decoder.reset();
    this.#pending?.finish({ kind: 'vanished' });
  }
}
