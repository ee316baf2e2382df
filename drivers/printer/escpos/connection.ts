import type { Clock } from '../../../src/base/ports/clock.ts';
import type { PrinterStatus } from '../../../src/base/ports/receipt-printer.ts';
import type { Transport } from '../../transport/transport.ts';
import {
  isStatusAnswer,
  lacksCause,
  printerStatus,
  type StatusAnswers,
  type StatusRequest,
  statusRequest,
} from './status.ts';

/**
 * One connection to a printer. `end` ends every wait at once, so that nothing begun on one connection continues on the
 * next. One caller at a time; nothing here rejects.
 */
export class PrinterConnection {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #replyTimeoutMs: number;
  readonly #ended = new AbortController();
  /** Takes the first status answer after a question; further ones have no effect. */
  #take: (byte: number) => void = () => {};
  #writing = false;
  #answerOverdue = false;

  constructor(transport: Transport, clock: Clock, replyTimeoutMs: number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#replyTimeoutMs = replyTimeoutMs;
  }

  end(): void {
    this.#ended.abort();
  }

  receive(chunk: Uint8Array): void {
    for (const byte of chunk) if (isStatusAnswer(byte)) this.#take(byte);
  }

  /**
   * Requests printer, offline cause and paper, one after the other. Undefined if one of them is not answered in time. A
   * printer without a way back is not asked: it prints in any case.
   */
  async status(): Promise<PrinterStatus | undefined> {
    if (this.#transport.oneWay === true) return { paperNearEnd: false, untold: true };
    const answers = await this.#askAll();
    // Once more: what was repaired between two answers is no fault.
    const sure = answers && lacksCause(answers) ? await this.#askAll() : answers;
    return sure && printerStatus(sure);
  }

  async #askAll(): Promise<StatusAnswers | undefined> {
    const printer = await this.#ask(1);
    if (printer === undefined) return undefined;
    const offlineCause = await this.#ask(2);
    if (offlineCause === undefined) return undefined;
    const paper = await this.#ask(4);
    return paper === undefined ? undefined : { printer, offlineCause, paper };
  }

  /** True once the operating system has taken all bytes; false after a time-out, or if the printer has vanished. */
  async send(bytes: Uint8Array, timeoutMs: number): Promise<boolean> {
    // A write that hangs (flow control) may still get through, so no second write is queued behind it.
    if (this.#writing || this.#ended.signal.aborted) return false;
    this.#writing = true;
    return (await this.#within(this.#write(bytes), timeoutMs)) ?? false;
  }

  /** Returns early if the printer vanishes. */
  async pause(ms: number): Promise<void> {
    await this.#within(new Promise<never>(() => {}), ms);
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#transport.write(bytes);
      return true;
    } catch {
      // The printer vanished; the transport reports that by its state as well.
      return false;
    } finally {
      this.#writing = false;
    }
  }

  async #ask(request: StatusRequest): Promise<number | undefined> {
    if (this.#answerOverdue) {
      // An answer does not name its request: a late one must not be taken for the next one.
      await this.pause(this.#replyTimeoutMs);
      this.#answerOverdue = false;
    }
    const answer = new Promise<number>((resolve) => {
      this.#take = resolve;
    });
    const sent = await this.send(statusRequest(request), this.#replyTimeoutMs);
    const byte = sent ? await this.#within(answer, this.#replyTimeoutMs) : undefined;
    this.#answerOverdue = byte === undefined;
    return byte;
  }

  /** The result of `work`; undefined after a time-out, or if the connection ends before. */
  #within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
    const { signal } = this.#ended;
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (value?: T): void => {
        this.#clock.clearTimeout(deadline);
        signal.removeEventListener('abort', over);
        resolve(value);
      };
      const over = (): void => finish();
      const deadline = this.#clock.setTimeout(over, ms);
      signal.addEventListener('abort', over);
      work.then(finish, over);
    });
  }
}
