import type { Clock } from '../../../src/base/ports/clock.ts';
import type { ReportTransport } from '../../transport/reports.ts';
import { notification } from './commands.ts';
import { decodeMessage, encodeRequest, type Command, type Message } from './message.ts';
import { MessageJoiner, splitMessage } from './reports.ts';

/**
 * Why a wait had no result. garbled: reports came, but no message. silent: nothing in time. vanished: the path no
 * longer exists.
 */
export type Nothing = { readonly kind: 'garbled' | 'silent' | 'aborted' | 'vanished' };

export type Response = Extract<Message, { kind: 'response' }>;
export type Notification = Extract<Message, { kind: 'notification' }>;

export interface WaitLimits {
  readonly timeoutMs: number;
  /** Ends the wait at once, but not the reader's work: that needs a command of its own. */
  readonly signal?: AbortSignal;
  /** Reports that are no message don't end the wait. */
  readonly ignoreGarble?: boolean;
}

interface Pending {
  readonly limits: WaitLimits;
  readonly response?: (response: Response) => void;
  readonly notification?: (notification: Notification) => void;
  readonly nothing: (nothing: Nothing) => void;
  /** Clears its timer and its signal listener. */
  readonly release: () => void;
}

/** Far more notifications than a transaction has: card events, card data, end. */
const heardMax = 16;

/** The relevant notifications; the others concern lights, displays and power. */
const heardIds: ReadonlySet<number> = new Set(Object.values(notification));

/**
 * One command and its answer at a time, and the notifications after it. A notification does not name its command. A
 * device sends in order, so a notification before a command's answer belongs to an earlier command, and is dropped.
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
  /** Notifications since the last answer that were not read yet; undefined if nothing will read them. */
  #heard: (Notification | 'garbled')[] | undefined;
  /** Keeps the reports of one message together. */
  #written: Promise<unknown> = Promise.resolve();

  /** `gapMs`: an incomplete message is dropped this long after its last report. */
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
   * Passes the notifications since the last answer to `hear`, one after the other, until it returns a result. Their
   * data is overwritten when it returns. Rejects with the error that `hear` throws.
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

  /** Passes on the notifications that came before `listen`, until the listener has its result. */
  #replay(): void {
    while (this.#pending?.notification) {
      const next = this.#heard?.shift();
      if (next === undefined) return;
      if (next === 'garbled') this.#handleGarble();
      else this.#pending.notification(next);
    }
  }

  /** Drops all later notifications: nothing will read them. */
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
      message.data.fill(0); // It may be card data that crossed with the cancellation.
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
