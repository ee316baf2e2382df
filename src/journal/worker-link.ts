import type { Worker } from 'node:worker_threads';
import type { Clock } from '../base/ports/clock.ts';
import { JournalError, type JournalErrorCode } from '../payment/contracts/journal.ts';
import type { JournalStore } from './store.ts';
import { takeWorker } from './worker-ahead.ts';
import type {
  ArchiveNews,
  CheckNews,
  JournalCall,
  JournalNews,
  JournalOperation,
  JournalReply,
  JournalWorkerData,
  Opened,
} from './worker.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: JournalError) => void;
}

export interface WorkerLinkOptions {
  readonly clock: Clock;
  /** If one call takes longer, the disk hangs and the journal is given up. The wait for the calls before it does not count. */
  readonly deadlineMs: number;
  /** Called if opening the journal may take a time that grows with its size. */
  readonly onLongOpening: () => void;
  readonly onNews: (news: ArchiveNews | CheckNews) => void;
  /** Called with the error of a failed call. */
  readonly onRefused: (error: JournalError) => void;
}

/** After one of these errors the journal can't be relied on. */
const ending: readonly JournalErrorCode[] = ['broken', 'gone', 'corrupt'];

/** The connection to the worker that owns the database. Each call is one message, and calls are answered in order. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #options: WorkerLinkOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #breaking = Promise.withResolvers<JournalError>();
  #calls = 0;
  /** Runs while the worker has a call: from its reply to the one before. */
  #deadline: unknown;
  #ended: JournalError | undefined;
  #isClosing = false;

  constructor(data: JournalWorkerData, options: WorkerLinkOptions) {
    this.#options = options;
    this.#worker = takeWorker();
    this.#worker.on('message', (message: JournalReply | JournalNews) => {
      if ('call' in message) this.#finish(message);
      else this.#hear(message);
    });
    this.#worker.on('error', (error) => this.#break(new JournalError('broken', error.message)));
    this.#worker.on('exit', () => {
      if (this.#isClosing) this.#end(new JournalError('storage', 'the journal is closed'));
      else this.#break(new JournalError('broken', 'the journal has stopped'));
    });
    this.#worker.postMessage(data);
  }

  /** Resolves once the journal can't be relied on: from then on every call rejects. */
  get broken(): Promise<JournalError> {
    return this.#breaking.promise;
  }

  /** Resolves once the database is open, locked and at the current schema. */
  opened(): Promise<Opened> {
    return this.#expect(0) as Promise<Opened>;
  }

  call<Operation extends JournalOperation>(
    operation: Operation,
    ...parameters: Parameters<JournalStore[Operation]>
  ): Promise<ReturnType<JournalStore[Operation]>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const call = ++this.#calls;
    this.#worker.postMessage({ call, operation, parameters } satisfies JournalCall);
    return this.#expect(call) as Promise<ReturnType<JournalStore[Operation]>>;
  }

  /** Resolves once the database is closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#ended) await this.call('close');
  }

  /** Not awaited: a worker that hangs on a disk does not end. */
  terminate(): void {
    void this.#worker.terminate();
  }

  #expect(call: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      if (this.#waiting.size === 1) this.#startDeadline();
    });
  }

  #startDeadline(): void {
    const { clock, deadlineMs } = this.#options;
    this.#stopDeadline();
    if (this.#waiting.size > 0) this.#deadline = clock.setTimeout(() => this.#hang(), deadlineMs);
  }

  #stopDeadline(): void {
    this.#options.clock.clearTimeout(this.#deadline);
  }

  #hear(news: JournalNews): void {
    if ('gone' in news) return this.#break(new JournalError(news.gone.code, news.gone.message));
    if ('opening' in news) {
      this.#stopDeadline();
      return this.#options.onLongOpening();
    }
    this.#options.onNews(news);
  }

  #finish(reply: JournalReply): void {
    const waiting = this.#waiting.get(reply.call);
    if (!waiting) return;
    this.#waiting.delete(reply.call);
    this.#startDeadline();
    if (!('failure' in reply)) return waiting.resolve(reply.value);
    const error = new JournalError(reply.failure.code, reply.failure.message);
    waiting.reject(error);
    this.#options.onRefused(error);
    // A journal that did not open can't break.
    if (reply.call !== 0 && ending.includes(error.code)) this.#break(error);
  }

  #hang(): void {
    this.#break(new JournalError('broken', 'the disk of the journal does not answer'));
  }

  #break(error: JournalError): void {
    if (this.#ended) return;
    this.#breaking.resolve(error);
    this.#end(error);
  }

  #end(error: JournalError): void {
    this.#ended ??= error;
    this.#stopDeadline();
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
