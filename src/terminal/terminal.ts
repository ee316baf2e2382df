import { type ActorRefFrom, createActor, fromPromise, toPromise } from 'xstate';
import type { Amount } from '../domain/amount.ts';
import { type AcquirerId, terminalTransactionId, type TerminalTransactionId } from '../domain/identifiers.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { CardReader, CollectOutcome, PresentedCard } from '../ports/card-reader.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { AnswerShape, Conclusion } from '../ports/journal.ts';
import type { Screen } from '../ports/screen.ts';
import { transactionMachine } from '../transaction/machine.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import { recovered } from '../transaction/recover.ts';
import { authorized, type AuthorizationParts } from './authorization.ts';
import type { ReceiptQueue } from './receipt-queue.ts';
import { outcomeView, runningView } from './view.ts';

export interface PaymentRequest {
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request. */
  readonly digest: string;
  readonly type: TransactionType;
  readonly amount: Amount;
  readonly shape: AnswerShape;
  readonly forcedAcquirer?: AcquirerId;
}

/** Whose transaction runs. */
export interface Owner {
  readonly posId: string;
  readonly messageId: string;
}

export type RunningState = 'collecting' | 'authorizing';

export type PayAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'busy'; readonly owner: Owner }
  | { readonly kind: 'otherRequest' }
  | { readonly kind: 'notReady'; readonly reason: string }
  /** The journal failed. `started`: the outcome may be in it all the same, an enquiry will tell. */
  | { readonly kind: 'journalFailed'; readonly started: boolean };

export type EnquiryAnswer =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'running'; readonly state: RunningState }
  | { readonly kind: 'notFound' };

export type CancelAnswer =
  | { readonly kind: 'cancelled'; readonly record: TransactionRecord }
  /** It had ended, or ended otherwise before the cancel could reach it. */
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'tooLate'; readonly state: RunningState }
  | { readonly kind: 'notFound' };

export interface TerminalParts extends AuthorizationParts {
  readonly reader: CardReader;
  readonly receipts?: ReceiptQueue;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeouts: { readonly collectMs: number; readonly reversalWaitMs: number; readonly outcomeMs: number };
  readonly onFailure?: (error: unknown) => void;
}

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

interface Run {
  readonly id: TerminalTransactionId;
  readonly request: PaymentRequest;
  /** Settles when the terminal is idle again. */
  readonly done: Promise<TransactionRecord>;
  actor?: TransactionActor;
  cancelled?: boolean;
}

/** One terminal, one transaction at a time. (posId, messageId) names at most one transaction, for ever. */
export class Terminal {
  readonly #parts: TerminalParts;
  #run: Run | undefined;
  #outcomeTimer: unknown;
  /** A transaction ended without its conclusion in the journal: to be recovered before the next one. */
  #unconcluded = false;
  #closing = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** Why no payment can be taken now; nothing when one can. */
  get notReady(): string | undefined {
    if (this.#closing) return 'the terminal is stopping';
    return this.#parts.reader.state === 'ready' ? undefined : 'the card reader is not connected';
  }

  get running(): (Owner & { readonly state: RunningState }) | undefined {
    if (!this.#run) return undefined;
    const { posId, messageId } = this.#run.request;
    return { posId, messageId, state: stateOf(this.#run) };
  }

  /** Concludes what a restart found unfinished, and sends the reversals that are due. Before the first payment. */
  async recover(): Promise<void> {
    const { journal, forwarder } = this.#parts;
    for (const id of await journal.unfinished()) {
      if (id === this.#run?.id) continue;
      const record = transactionRecord(id, await journal.read(id));
      await journal.append(id, recovered(record));
    }
    this.#unconcluded = false;
    await forwarder.resume();
  }

  /** Runs one payment, or joins or repeats the one of that identity. Rejects with JournalError. */
  async pay(request: PaymentRequest): Promise<PayAnswer> {
    const same = this.#runOf(request);
    if (same) return this.#joined(same, request);
    const existing = await this.#parts.journal.find(request.posId, request.messageId);
    // Another request may have come in meanwhile: from here to #begin nothing waits.
    const sameNow = this.#runOf(request);
    if (sameNow) return this.#joined(sameNow, request);
    if (existing) return this.#repeated(existing, request);
    if (this.#run) return { kind: 'busy', owner: owner(this.#run) };
    const reason = this.notReady;
    if (reason) return { kind: 'notReady', reason };
    return answered(this.#begin(request));
  }

  async enquire(posId: string, messageId: string): Promise<EnquiryAnswer> {
    const run = this.#runOf({ posId, messageId });
    if (run) return { kind: 'running', state: stateOf(run) };
    const id = await this.#parts.journal.find(posId, messageId);
    if (!id) return { kind: 'notFound' };
    // It may have started while the journal was asked.
    if (this.#run?.id === id) return { kind: 'running', state: stateOf(this.#run) };
    return { kind: 'ended', record: await this.#record(id) };
  }

  /** Answers only once the terminal is idle again, or at once when it is too late. */
  async cancel(posId: string, messageId: string): Promise<CancelAnswer> {
    const run = this.#runOf({ posId, messageId });
    if (!run) {
      const id = await this.#parts.journal.find(posId, messageId);
      return id ? { kind: 'ended', record: await this.#record(id) } : { kind: 'notFound' };
    }
    if (stateOf(run) !== 'collecting') return { kind: 'tooLate', state: stateOf(run) };
    run.cancelled = true;
    run.actor?.send({ type: 'CANCEL', by: 'pos' });
    const record = await run.done;
    const cancelled = record.conclusion?.result === 'TRANSACTION_ALREADY_CANCEL';
    return { kind: cancelled ? 'cancelled' : 'ended', record };
  }

  /** Ends collecting, waits for what is authorizing: after this nothing touches the devices. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
    const run = this.#run;
    if (!run) return;
    run.cancelled = true;
    run.actor?.send({ type: 'CANCEL', by: 'merchant' });
    await run.done.catch(() => undefined);
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
  }

  #runOf({ posId, messageId }: Owner): Run | undefined {
    const run = this.#run;
    return run?.request.posId === posId && run.request.messageId === messageId ? run : undefined;
  }

  async #joined(run: Run, request: PaymentRequest): Promise<PayAnswer> {
    if (run.request.digest !== request.digest) return { kind: 'otherRequest' };
    return answered(run);
  }

  async #repeated(id: TerminalTransactionId, request: PaymentRequest): Promise<PayAnswer> {
    const record = await this.#record(id);
    return record.request.digest === request.digest ? { kind: 'ended', record } : { kind: 'otherRequest' };
  }

  /** Claims the terminal at once, before anything can wait. */
  #begin(request: PaymentRequest): Run {
    const { clock, random } = this.#parts;
    const id = terminalTransactionId(clock.now(), random.bytes(10));
    const started = Promise.withResolvers<Run>();
    const done = started.promise
      .then((run) => this.#transacted(run))
      .finally(() => {
        this.#run = undefined;
      });
    const run: Run = { id, request, done };
    this.#run = run;
    started.resolve(run);
    return run;
  }

  async #transacted(run: Run): Promise<TransactionRecord> {
    const { journal, receipts, onFailure } = this.#parts;
    const { posId, messageId, digest, type, amount, shape } = run.request;
    if (this.#unconcluded) await this.recover();
    const amountMinor = amount.minor.toString();
    const { currency } = amount;
    await journal.open(run.id, { kind: 'accepted', posId, messageId, digest, type, amountMinor, currency, shape });
    const actor = this.#actor(run);
    await toPromise(actor).catch((error: unknown) => onFailure?.(error));
    const { conclusion } = actor.getSnapshot().context;
    const record = await this.#ended(run.id, conclusion);
    receipts?.poke();
    this.#show(record);
    return record;
  }

  #actor(run: Run): TransactionActor {
    const { amount } = run.request;
    const { clock, timeouts, screen } = this.#parts;
    this.#parts.clock.clearTimeout(this.#outcomeTimer);
    const machine = transactionMachine.provide({ actors: this.#actors(run) });
    const actor = createActor(machine, {
      input: { amount, collectTimeoutMs: timeouts.collectMs },
      clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
    });
    actor.subscribe({
      next: (snapshot) => {
        const view = runningView(snapshot, amount);
        if (view) screen.show(view);
      },
      error: () => undefined,
    });
    run.actor = actor;
    actor.start();
    actor.send({ type: 'START' });
    if (run.cancelled) actor.send({ type: 'CANCEL', by: 'pos' });
    return actor;
  }

  /** What the machine's actors do on this terminal. */
  #actors({ id, request }: Run) {
    const { reader, journal, forwarder, clock, timeouts, receipts } = this.#parts;
    const { amount, forcedAcquirer } = request;
    const printsReceipt = receipts !== undefined && request.shape === 'A';
    const order = { id, amount, printsReceipt, ...(forcedAcquirer === undefined ? {} : { forcedAcquirer }) };
    let collecting: Promise<CollectOutcome> | undefined;
    return {
      collectCard: fromPromise<CollectOutcome, Amount>(({ signal }) => {
        collecting = reader.collect({ amount, type: 'purchase', timeoutMs: timeouts.collectMs }, signal);
        return collecting;
      }),
      disarm: fromPromise<void>(async () => {
        await collecting?.catch(() => undefined);
      }),
      authorize: fromPromise<Awaited<ReturnType<typeof authorized>>, PresentedCard>(({ input }) =>
        authorized(order, input, this.#parts),
      ),
      reverse: fromPromise<void>(async () => {
        const acquirerId = (await this.#record(id)).intent?.acquirerId;
        if (acquirerId) await withinMs(forwarder.flush(acquirerId), timeouts.reversalWaitMs, clock);
      }),
      conclude: fromPromise<void, Conclusion>(({ input }) => journal.append(id, [{ kind: 'ended', ...input }])),
    };
  }

  /** The record as the journal has it. Where the journal failed at the end, the conclusion is the machine's word. */
  async #ended(id: TerminalTransactionId, conclusion: Conclusion | undefined): Promise<TransactionRecord> {
    const record = await this.#record(id);
    if (record.conclusion) return record;
    this.#unconcluded = true;
    return conclusion && conclusion.result !== 'SUCCESS' ? { ...record, conclusion } : record;
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return transactionRecord(id, await this.#parts.journal.read(id));
  }

  #show(record: TransactionRecord): void {
    const { screen, clock, timeouts } = this.#parts;
    screen.show(outcomeView(record));
    this.#outcomeTimer = clock.setTimeout(() => {
      if (!this.#run?.actor) screen.show({ scene: 'idle' });
    }, timeouts.outcomeMs);
  }
}

async function answered(run: Run): Promise<PayAnswer> {
  try {
    return { kind: 'ended', record: await run.done };
  } catch {
    return { kind: 'journalFailed', started: run.actor !== undefined };
  }
}

function owner({ request: { posId, messageId } }: Run): Owner {
  return { posId, messageId };
}

/** A run without its actor is still being written down: the reader is not armed yet, a cancel is in time. */
function stateOf(run: Run): RunningState {
  const snapshot = run.actor?.getSnapshot();
  return !snapshot || snapshot.matches('idle') || snapshot.matches('collecting') ? 'collecting' : 'authorizing';
}

/** Waits for `work`, but not longer than `ms`. */
function withinMs(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const settled = () => {
      clock.clearTimeout(timer);
      resolve();
    };
    work.then(settled, settled);
  });
}
