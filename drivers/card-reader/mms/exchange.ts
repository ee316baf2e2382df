import type { Clock } from '../../../src/ports/clock.ts';
import type { ReportTransport } from '../../transport/reports.ts';
import { notification } from './commands.ts';
import { decodeMessage, encodeRequest, type Command, type Message } from './message.ts';
import { MessageJoiner, splitMessage } from './reports.ts';

/** Why a wait came to nothing. garbled: reports came, but no message. silent: nothing in time. vanished: the path is gone. */
export type Nothing = { readonly kind: 'garbled' | 'silent' | 'aborted' | 'vanished' };

export type Response = Extract<Message, { kind: 'response' }>;
export type Notification = Extract<Message, { kind: 'notification' }>;

export interface WaitLimits {
  readonly timeoutMs: number;
  /** Ends the wait at once, not what the reader does: that needs a command of its own. */
  readonly signal?: AbortSignal;
  /** Reports that are no message don't end the wait. */
  readonly ignoreGarble?: boolean;
}

interface Pending {
  readonly limits: WaitLimits;
  readonly response?: (response: Response) => void;
  readonly notification?: (notification: Notification) => void;
  readonly nothing: (nothing: Nothing) => void;
  /** Gives back its timer and its signal. */
  readonly release: () => void;
}

/** Far more than a transaction has: card events, card data, and its end. */
const heardMax = 16;

/** What of the notifications matters here; the others are about lights, displays and power. */
const heardIds: ReadonlySet<number> = new Set(Object.values(notification));

/**
 * One command and its answer at a time, and the notifications that follow it. A notification does not say which command it
 * belongs to. A device sends in order, so what comes before the answer to a command is of an earlier one, and is dropped.
 */
export class Exchange {
  readonly #reports: ReportTransport;
  readonly #clock: Clock;
  readonly #gapMs: number;
  readonly #joiner = new MessageJoiner();
  readonly #unsubscribe: readonly (() => void)[];
  #reference = 0;
  #gapTimer: unknown;
  #pending: Pending | undefined;
  /** What followed the last answer and nobody has listened to; nothing where nobody is going to. */
  #heard: (Notification | 'garbled')[] | undefined;
  /** The reports of one message are not to come between those of another. */
  #written: Promise<unknown> = Promise.resolve();

  /** `gapMs`: this long after the last report, half a message is given up. */
  constructor(reports: ReportTransport, clock: Clock, gapMs: number) {
    this.#reports = reports;
    this.#clock = clock;
    this.#gapMs = gapMs;
    this.#unsubscribe = [
      reports.onReport((report) => this.#receive(report)),
      reports.onState((state) => {
        if (state !== 'ready') this.#handleVanishing();
      }),
    ];
  }

  /** Sends a command and waits for its answer. From then on notifications are kept for `listen`. Never rejects. */
  request(command: Command, limits: WaitLimits): Promise<Response | Nothing> {
    this.forget();
    this.#reference = (this.#reference % 0xff) + 1;
    const reference = this.#reference;
    const { promise, resolve } = Promise.withResolvers<Response | Nothing>();
    const waiting = this.#wait(limits, resolve, {
      response: (response) => {
        if (response.reference !== reference || response.id !== command.id) return;
        this.#heard = [];
        this.#finish();
        resolve(response);
      },
    });
    if (waiting) this.#write(encodeRequest(reference, command), waiting);
    return promise;
  }

  /**
   * Gives `hear` the notifications since the last answer, one after the other, until it has heard what it wants. Their data is
   * wiped when it returns. Rejects with what `hear` throws.
   */
  listen<Heard>(
    limits: WaitLimits,
    hear: (notification: Notification) => Heard | undefined,
  ): Promise<{ readonly kind: 'heard'; readonly heard: Heard } | Nothing> {
    const { promise, resolve, reject } = Promise.withResolvers<
      { readonly kind: 'heard'; readonly heard: Heard } | Nothing
    >();
    const waiting = this.#wait(limits, resolve, {
      notification: (notification) => {
        try {
          const heard = hear(notification);
          if (heard === undefined) return;
          this.#finish();
          resolve({ kind: 'heard', heard });
        } catch (error) {
          this.#finish();
          reject(error);
        } finally {
          notification.data.fill(0);
        }
      },
    });
    if (waiting) this.#replay();
    return promise;
  }

  /** What came before anybody listened, until that has heard enough. */
  #replay(): void {
    while (this.#pending?.notification) {
      const next = this.#heard?.shift();
      if (next === undefined) return;
      if (next === 'garbled') this.#handleGarble();
      else this.#pending.notification(next);
    }
  }

  /** Nobody is going to listen to what follows. */
  forget(): void {
    for (const heard of this.#heard ?? []) if (heard !== 'garbled') heard.data.fill(0);
    this.#heard = undefined;
  }

  /** Stops listening; a running wait ends as vanished. */
  close(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#handleVanishing();
  }

  #wait(
    limits: WaitLimits,
    resolve: (nothing: Nothing) => void,
    wanted: Pick<Pending, 'response' | 'notification'>,
  ): Pending | undefined {
    if (this.#pending) throw new Error('one exchange at a time');
    const { timeoutMs, signal } = limits;
    if (signal?.aborted || this.#reports.state !== 'ready') {
      resolve({ kind: signal?.aborted ? 'aborted' : 'vanished' });
      return undefined;
    }
    const onAbort = () => pending.nothing({ kind: 'aborted' });
    const timer = this.#clock.setTimeout(() => pending.nothing({ kind: 'silent' }), timeoutMs);
    const pending: Pending = {
      limits,
      ...wanted,
      release: () => {
        this.#clock.clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      },
      nothing: (nothing) => {
        if (this.#pending !== pending) return;
        this.#finish();
        resolve(nothing);
      },
    };
    this.#pending = pending;
    signal?.addEventListener('abort', onAbort, { once: true });
    return pending;
  }

  #finish(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.release();
  }

  #write(message: Uint8Array, pending: Pending): void {
    this.#written = this.#written
      .then(async () => {
        for (const report of splitMessage(message)) await this.#reports.write(report);
      })
      .catch(() => pending.nothing({ kind: 'vanished' }));
  }

  #receive(report: Uint8Array): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    const whole = this.#joiner.push(report);
    if (whole === 'corrupt') this.#handleGarble();
    else if (whole) this.#decode(whole);
    if (!this.#joiner.unfinished) return;
    this.#gapTimer = this.#clock.setTimeout(() => {
      this.#joiner.reset();
      this.#handleGarble();
    }, this.#gapMs);
  }

  #decode(bytes: Uint8Array): void {
    const message = decodeMessage(bytes);
    bytes.fill(0);
    switch (message?.kind) {
      case undefined:
        return this.#handleGarble();
      case 'response':
        return this.#pending?.response?.(message);
      case 'notification':
        return this.#notify(message);
      case 'other':
        return;
      default:
        return message satisfies never;
    }
  }

  #notify(message: Notification): void {
    if (!heardIds.has(message.id) || !this.#heard) {
      message.data.fill(0); // It may be a card that crossed with its cancellation.
    } else if (this.#pending?.notification) {
      this.#pending.notification(message);
    } else {
      this.#keep(message);
    }
  }

  #handleGarble(): void {
    const pending = this.#pending;
    if (!pending) this.#keep('garbled');
    else if (!pending.limits.ignoreGarble) pending.nothing({ kind: 'garbled' });
  }

  #keep(heard: Notification | 'garbled'): void {
    if (!this.#heard) return;
    if (this.#heard.length < heardMax) {
      this.#heard.push(heard);
      return;
    }
    this.forget();
    if (heard !== 'garbled') heard.data.fill(0);
    this.#heard = ['garbled'];
  }

  #handleVanishing(): void {
    this.#clock.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    this.#joiner.reset();
    this.forget();
    this.#written = Promise.resolve();
    this.#pending?.nothing({ kind: 'vanished' });
  }
}
